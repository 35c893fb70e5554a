#include "interpose/linked_runtime.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace warpledger::cuda {
namespace {

TEST(LinkedRuntime, NamesTheLibraryThatAsks) {
  const std::string text = describe_linked_runtime("/opt/site-packages/cupy/runtime.so");
  EXPECT_NE(text.find("/opt/site-packages/cupy/runtime.so"), std::string::npos);
  EXPECT_NE(text.find("programs.md"), std::string::npos);
}

TEST(LinkedRuntime, SaysNothingOfCompilersThatWorkWithout) {
  EXPECT_EQ(describe_linked_runtime("/usr/lib/libnvrtc.so.13"), "");
  EXPECT_EQ(describe_linked_runtime("libnvJitLink.so.13"), "");
}

TEST(LinkedRuntime, FindsTheFileOfAFunction) {
  EXPECT_NE(library_at(reinterpret_cast<const void*>(&std::getenv)).find("libc"),
            std::string::npos);
  EXPECT_EQ(library_at(nullptr), "");
}

}  // namespace
}  // namespace warpledger::cuda
