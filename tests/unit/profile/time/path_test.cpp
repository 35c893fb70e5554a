#include "warpledger/profile/time/path.h"

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/metrics/units.h"
#include "warpledger/profile/time/model.h"

namespace warpledger::profile::time {
namespace {

using profile::testing::add_access;
using profile::testing::add_up;
using profile::testing::any_profile;
using profile::testing::plain_profile;
using Copies = ProgramInstruction::Copies;
using Result = ProgramInstruction::Result;

constexpr Latencies kLatency{.shared = 30, .l1 = 40, .l2 = 240, .dram = 640};

/// One warp runs `code` once.
Path walk(std::vector<ProgramInstruction> code, Profile profile = plain_profile()) {
  profile.execution.warps = 1;
  profile.program = {{.executions = 1, .code = std::move(code)}};
  return path_of({profile, profile.counters}, kLatency);
}

TEST(Path, StallCountsAddUp) {
  EXPECT_EQ(walk({{.stall = 4}, {.stall = 2}, {.stall = 1}}).cycles, 7);
}
TEST(Path, AWaitLastsUntilTheResultIsThere) {
  const Path path = walk({{.result = Result::kShared, .stall = 1, .sets = 0}, {.waits = 1}});
  EXPECT_EQ(path.cycles, 30 + 1);
  EXPECT_EQ(path.waits, 0);  // not for far memory
}
TEST(Path, ALoadTakesTheLatencyOfTheLevelThatAnswers) {
  Profile profile = plain_profile();
  memory::SiteCounters& load = add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad);
  load.request.requests = 10;
  const std::vector<ProgramInstruction> code = {{.result = Result::kFar, .sets = 0, .number = 0},
                                                {.waits = 1}};
  EXPECT_EQ(walk(code, profile).cycles, kLatency.l1 + 1);
  load.l2_requests = 10;
  load.l2_sectors = 40;
  EXPECT_EQ(walk(code, profile).cycles, kLatency.l2 + 1);
  load.dram_read_sectors = 40;
  EXPECT_EQ(walk(code, profile).cycles, kLatency.dram + 1);
  EXPECT_NEAR(walk(code, profile).waits, 1, 0.01);  // less the cycle in which it issues
}
TEST(Path, LoadsInFlightTogetherAreWaitedForOnce) {
  Profile profile = plain_profile();
  memory::SiteCounters& load = add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad);
  load.request.requests = load.l2_requests = 10;
  load.l2_sectors = load.dram_read_sectors = 40;
  const ProgramInstruction issue{.result = Result::kFar, .sets = 0, .number = 0};
  EXPECT_EQ(walk({issue, issue, issue, {.waits = 1}}, profile).cycles, 2 + kLatency.dram + 1);
}
TEST(Path, ALoopWaitsForWhatTheTripBeforeLoaded) {
  Profile profile = plain_profile();
  profile.execution.warps = 1;
  // The load at the end of a trip is waited for at the start of the next.
  profile.program = {{.executions = 100,
                      .predecessors = {0},
                      .code = {{.waits = 1}, {.result = Result::kShared, .sets = 0}}}};
  EXPECT_EQ(path_of({profile, profile.counters}, kLatency).cycles, 100 * (30 + 1));
}
TEST(Path, ACopyIsWaitedForWithItsGroup) {
  Profile profile = plain_profile();
  memory::SiteCounters& copy = add_access(profile, trace::Space::kGlobal, trace::Kind::kAsyncCopy);
  copy.request.requests = copy.l2_requests = 10;
  copy.l2_sectors = 40;
  const ProgramInstruction start{.result = Result::kFar, .copies = Copies::kStart, .number = 0},
      commit{.copies = Copies::kCommit}, all{.copies = Copies::kAwait},
      but_one{.copies = Copies::kAwait, .groups_left = 1};
  EXPECT_EQ(walk({start, commit, all}, profile).cycles, kLatency.l2 + 1);
  EXPECT_EQ(walk({start, commit, but_one}, profile).cycles, 3);
  EXPECT_EQ(walk({start, all, commit}, profile).cycles, 3);  // its group is not closed yet
  EXPECT_EQ(walk({start, commit, start, commit, but_one}, profile).cycles, kLatency.l2 + 1);
  EXPECT_NEAR(walk({start, commit, all}, profile).waits, 1, 0.01);
}
TEST(Path, APipelineOfCopiesWaitsForTheOldestTrip) {
  Profile profile = plain_profile();
  profile.execution.warps = 1;
  memory::SiteCounters& copy = add_access(profile, trace::Space::kGlobal, trace::Kind::kAsyncCopy);
  copy.request.requests = copy.l2_requests = 10;
  copy.l2_sectors = 40;
  for (const uint8_t left : std::array<uint8_t, 4>{0, 1, 2, 5}) {
    profile.program = {{.executions = 100,
                        .predecessors = {0},
                        .code = {{.copies = Copies::kStart, .stall = 10, .number = 0},
                                 {.copies = Copies::kCommit},
                                 {.copies = Copies::kAwait, .groups_left = left}}}};
    // Every copy is waited for, `left` trips after its own.
    const double trip = (kLatency.l2 + 1) / (left + 1);
    EXPECT_NEAR(path_of({profile, profile.counters}, kLatency).cycles, 100 * trip, 1e-6) << +left;
  }
}
TEST(Path, BarriersAreCounted) {
  EXPECT_EQ(walk({{.is_barrier = true}, {}, {.is_barrier = true}}).barriers, 2);
}

LAW(TimeModel, NoUnitIsBusyForLongerThanTheLaunch) {
  Profile profile = any_profile(rng);
  const auto made = estimate({profile, profile.counters});
  ASSERT_TRUE(made.has_value());
  EXPECT_GE(made->elapsed_cycles, least_cycles({profile, profile.counters}) * (1 - 1e-6));
  EXPECT_LE(made->active_cycles, made->elapsed_cycles);
}
LAW(TimeModel, MoreTrafficNeverTakesLess) {
  Profile profile = any_profile(rng);
  const double before = estimate({profile, profile.counters})->elapsed_cycles;
  profile.counters.dram.read_sectors *= 2;
  EXPECT_GE(estimate({profile, profile.counters})->elapsed_cycles, before * (1 - 1e-6));
}
TEST(TimeModel, AtomicsAtOneAddressTakeTurns) {
  Profile profile = plain_profile();
  memory::SiteCounters& red = add_access(profile, trace::Space::kGlobal, trace::Kind::kReduction);
  profile.instructions.back().site.floating = true;
  red.request.instructions = red.request.requests = 1000;
  red.l2_requests = red.l2_sectors = red.l2_hit_sectors = 32000;
  add_up(profile);
  profile.counters.l2.hottest_atomics = 32000;
  const auto made = estimate({profile, profile.counters});
  ASSERT_TRUE(made.has_value());
  const double turns = 3 * 32000 / profile.gpu.clocks.ncu_l2_ratio->value;
  EXPECT_GE(made->elapsed_cycles, turns);
  EXPECT_LE(made->elapsed_cycles, 1.2 * turns);
}

}  // namespace
}  // namespace warpledger::profile::time
