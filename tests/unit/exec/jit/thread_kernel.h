// What kernels of tests begin with: in %r0 the thread, in %rd2 its element of the parameter p0.
#pragma once

#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {

class NeedsCompiler : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  }
};

constexpr const char* kThread = R"(
  .reg .pred %p<8>; .reg .b32 %r<32>; .reg .f32 %f<16>; .reg .b64 %rd<16>;
  ld.param.u64 %rd0, [p0];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %rd0, %rd1;
)";

}  // namespace warpledger::exec
