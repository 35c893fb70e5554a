// Slow paths of machine code under a launch that runs as PTX: the machine-code engine is the
// oracle.
#include "warpledger/profile/run/slow_paths.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/run/both_engines.h"

namespace warpledger::profile {
namespace {

// y[i] /= x[i]
Profile divided_by(const std::string& fill, exec::EngineChoice engine) {
  const std::string quotients = testing::kernel_of_x_and_y("quotients", R"(
  ld.global.f32 %f0, [%rd3];
  ld.global.f32 %f1, [%rd4];
  div.rn.f32 %f2, %f1, %f0;
  st.global.f32 [%rd4], %f2;
)");
  return testing::run_with(engine, quotients, "quotients", {8, 1, 1}, {128, 1, 1},
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
