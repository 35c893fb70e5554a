#include "warpledger/profile/run/machine_threads.h"

#include <gtest/gtest.h>

namespace warpledger::profile {
namespace {

/// PTX 0 ran in all lanes of 10 warps, PTX 1 in 8 lanes of 5 warps.
Profile two_instructions() {
  Profile profile;
  profile.code = {{.text = "add", .executions = 10, .lanes = 320},
                  {.text = "mul", .executions = 5, .lanes = 40}};
  return profile;
}

TEST(MachineThreads, AnInstructionWithoutGuardHasTheLanesOfItsPtx) {
  std::vector<MachineLine> lines = {{.executions = 5, .number = 1}};
  note_threads(two_instructions(), {{.first = 0, .end = 1}}, lines);
  EXPECT_EQ(lines[0].threads, 40U);
  EXPECT_EQ(lines[0].threads_on, 40U);
}

/// ptxas made a guard of a branch: 10 warps execute what 5 of them ran.
TEST(MachineThreads, AGuardThatWasABranchCountsEachLaneOnce) {
  std::vector<MachineLine> lines = {{.executions = 10, .number = 0},
                                    {.guard = "@P0", .executions = 10, .number = 1}};
  note_threads(two_instructions(), {{.first = 0, .end = 2}}, lines);
  EXPECT_EQ(lines[1].threads, 320U);
  EXPECT_EQ(lines[1].threads_on, 40U);
}

TEST(MachineThreads, WhatStandsForNoPtxHasTheLanesOfItsBlock) {
  std::vector<MachineLine> lines = {{.executions = 10}, {.executions = 10, .number = 0}};
  note_threads(two_instructions(), {{.first = 0, .end = 2}}, lines);
  EXPECT_EQ(lines[0].threads, 320U);
}

TEST(MachineThreads, AreAbsentWhereNothingTells) {
  std::vector<MachineLine> lines = {{.executions = 10}, {.guard = "@P0", .executions = 10}};
  note_threads(two_instructions(), {{.first = 0, .end = 2}}, lines);
  EXPECT_FALSE(lines[0].threads);
  EXPECT_FALSE(lines[1].threads_on);
}

}  // namespace
}  // namespace warpledger::profile
