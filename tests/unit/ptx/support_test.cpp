#include "warpledger/ptx/support.h"

#include <gtest/gtest.h>

#include "tests/support/source.h"
#include "warpledger/base/file.h"

namespace warpledger::ptx {
namespace {

TEST(Support, TheDocumentIsUpToDate) {
  const auto file = read_file(test::source_path("docs/ptx-support.md"));
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(*file == support_document()) << "run: warpledger ptx --support > docs/ptx-support.md";
}

}  // namespace
}  // namespace warpledger::ptx
