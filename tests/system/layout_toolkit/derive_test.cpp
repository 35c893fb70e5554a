// What needs NVIDIA's compilers: skipped, with a message, where they are not installed.
#include "warpledger/layout/derive/derive.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "warpledger/toolchain/toolchain.h"

namespace warpledger::derive {
namespace {

class FromCompiler : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    for (const char* tool : {"ptxas", "nvdisasm"}) {
      if (const auto found = toolchain::find_tool(tool); !found)
        GTEST_SKIP() << found.error().message;
    }
  }
};

TEST_P(FromCompiler, EveryWmmaMapEqualsTheCatalog) {
  const std::vector<FragmentKey> keys = derivable_keys(GetParam());
  const auto all = derive_from_compiler(keys, {});
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(all->size(), keys.size());
  for (const Derived& derived : *all) EXPECT_TRUE(derived.agrees) << name_of(derived.key);
}

INSTANTIATE_TEST_SUITE_P(Archs, FromCompiler, ::testing::Values(75, 80, 86, 89, 90, 100, 103, 120),
                         [](const auto& arch) { return fmt::format("sm_{}", arch.param); });

}  // namespace
}  // namespace warpledger::derive
