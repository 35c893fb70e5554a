#include "warpledger/profile/run/machine_threads.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"

namespace warpledger::profile {
namespace {

/// PTX 0 ran in all lanes of 10 warps, PTX 1 in 8 lanes of 5 warps.
std::vector<CodeLine> two_instructions() {
  return {{.text = "add", .executions = 10, .lanes = 320},
          {.text = "mul", .executions = 5, .lanes = 40}};
}

TEST(MachineThreads, AnInstructionWithoutGuardHasTheLanesOfItsPtx) {
  const std::vector<GuardedLine> lines = {{.executions = 5, .number = 1}};
  const auto threads = count_threads(two_instructions(), {{.first = 0, .end = 1}}, lines);
  EXPECT_EQ(threads[0].active, 40U);
  EXPECT_EQ(threads[0].on, 40U);
}

/// ptxas made a guard of a branch: 10 warps execute what 5 of them ran.
TEST(MachineThreads, AGuardThatWasABranchCountsEachLaneOnce) {
  const std::vector<GuardedLine> lines = {{.executions = 10, .number = 0},
                                          {.executions = 10, .number = 1, .has_guard = true}};
  const auto threads = count_threads(two_instructions(), {{.first = 0, .end = 2}}, lines);
  EXPECT_EQ(threads[1].active, 320U);
  EXPECT_EQ(threads[1].on, 40U);
}

TEST(MachineThreads, WhatStandsForNoPtxHasTheLanesOfItsBlock) {
  const std::vector<GuardedLine> lines = {{.executions = 10}, {.executions = 10, .number = 0}};
  const auto threads = count_threads(two_instructions(), {{.first = 0, .end = 2}}, lines);
  EXPECT_EQ(threads[0].active, 320U);
}

TEST(MachineThreads, AreAbsentWhereNothingTells) {
  const std::vector<GuardedLine> lines = {{.executions = 10},
                                          {.executions = 10, .has_guard = true}};
  const auto threads = count_threads(two_instructions(), {{.first = 0, .end = 2}}, lines);
  EXPECT_FALSE(threads[0].active);
  EXPECT_FALSE(threads[1].on);
}

LAW(MachineThreads, OnesThatAreOnAreActiveAndActiveOnesAreOfAWarp) {
  std::vector<CodeLine> code(4);
  for (CodeLine& line : code) {
    line.executions = static_cast<uint64_t>(rng.between(0, 9));
    line.lanes = line.executions * static_cast<uint64_t>(rng.between(0, 32));
    line.text = rng.coin() ? "@%p1 add" : "add";
  }
  std::vector<GuardedLine> lines(6);
  for (GuardedLine& line : lines)
    line = {static_cast<uint64_t>(rng.between(0, 20)), static_cast<uint32_t>(rng.between(0, 5)),
            rng.coin()};
  const auto threads = count_threads(code, {{.first = 0, .end = 3}, {.first = 3, .end = 6}}, lines);
  for (size_t i = 0; i < lines.size(); ++i) {
    const uint64_t active = threads[i].active.value_or(0);
    EXPECT_LE(active, 32 * lines[i].executions);
    EXPECT_LE(threads[i].active ? threads[i].on.value_or(0) : 0, active);
  }
}

}  // namespace
}  // namespace warpledger::profile
