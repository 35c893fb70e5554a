// Slow paths of machine code under a launch that runs as PTX: the machine-code engine is the
// oracle.
#include "warpledger/profile/run/slow_paths.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/run/both_engines.h"

namespace warpledger::profile {
namespace {

constexpr const char* kQuotients = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry quotients(.param .u64 x, .param .u64 y)
{
  .reg .f32 %f<4>;
  .reg .b32 %r<5>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd0, [x];
  ld.param.u64 %rd1, [y];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r4, 4;
  add.s64 %rd3, %rd0, %rd2;
  add.s64 %rd4, %rd1, %rd2;
  ld.global.f32 %f0, [%rd3];
  ld.global.f32 %f1, [%rd4];
  div.rn.f32 %f2, %f1, %f0;
  st.global.f32 [%rd4], %f2;
  ret;
}
)";

Profile divided_by(const std::string& fill, exec::EngineChoice engine) {
  return testing::run_with(engine, kQuotients, "quotients", {8, 1, 1}, {128, 1, 1},
                           {"x=f32[1024]:" + fill, "y=f32[1024]:one"});
}

class Division : public ::testing::TestWithParam<const char*> {};

TEST_P(Division, TakesTheSlowPathAsOftenAsTheMachineCodeDoes) {
  if (!testing::has_tools()) GTEST_SKIP() << "needs ptxas and nvdisasm";
  const Profile mapped = divided_by(GetParam(), exec::EngineChoice::kAuto);
  const Profile executed = divided_by(GetParam(), exec::EngineChoice::kMachine);
  EXPECT_EQ(mapped.machine->instructions, executed.machine->instructions);
  EXPECT_EQ(mapped.machine->opcodes, executed.machine->opcodes);
}

INSTANTIATE_TEST_SUITE_P(By, Division, ::testing::Values("one", "zero"));

TEST(SlowPaths, AreSeenWherePtxRunsOnly) {
  if (!testing::has_tools()) GTEST_SKIP() << "needs ptxas and nvdisasm";
  EXPECT_FALSE(divided_by("one", exec::EngineChoice::kAuto).machine->shares.empty());
  EXPECT_TRUE(divided_by("one", exec::EngineChoice::kMachine).machine->shares.empty());
}

}  // namespace
}  // namespace warpledger::profile
