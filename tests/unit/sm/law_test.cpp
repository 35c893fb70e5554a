// What holds for any code: states add up, and nothing but the input decides them.
#include "tests/support/law.h"

#include <gtest/gtest.h>

#include "warpledger/sm/sm.h"

namespace warpledger::sm {
namespace {

Instruction any_instruction(testing::Rng& rng) {
  static const std::vector<Kind> kinds = {
      Kind::kFixed,     Kind::kLoad,       Kind::kStore,       Kind::kAtomic,  Kind::kReduction,
      Kind::kAsyncCopy, Kind::kSharedLoad, Kind::kSharedStore, Kind::kShuffle, Kind::kSpecial,
      Kind::kDouble,    Kind::kReconverge, Kind::kBarrier,     Kind::kFence};
  Instruction made;
  made.kind = rng.pick(kinds);
  const bool is_queued = made.kind >= Kind::kLoad && made.kind <= Kind::kDouble;
  made.pipe = is_queued ? Pipe::kMio : static_cast<Pipe>(rng.between(0, 6));
  made.interval = static_cast<uint32_t>(rng.between(1, 8));
  made.stall = static_cast<uint8_t>(rng.between(1, 12));
  made.waits = static_cast<uint8_t>(rng.between(0, 63));
  made.keeps = rng.coin();
  if (rng.coin()) made.sets = static_cast<uint8_t>(rng.between(0, 5));
  if (is_queued && rng.coin()) made.reads = static_cast<uint8_t>(rng.between(0, 5));
  made.access.misses = rng.coin() ? 1 : 0.5;
  made.access.dram = 0.5;
  made.access.sectors = static_cast<double>(rng.between(1, 32));
  made.access.active = rng.coin() ? 1 : 0.5;
  return made;
}

/// A loop of a few trips around any code, and a branch that parts warps.
Program any_program(testing::Rng& rng) {
  Program program;
  const auto add = [&](uint32_t count, std::vector<Edge> next, int32_t stays) {
    const auto first = static_cast<uint32_t>(program.code.size());
    for (uint32_t i = 0; i < count; ++i) program.code.push_back(any_instruction(rng));
    program.code.push_back({.kind = next.empty() ? Kind::kExit : Kind::kBranch});
    program.blocks.push_back({.first = first,
                              .end = first + count + 1,
                              .next = std::move(next),
                              .executions = 1,
                              .stays_in_loop = stays});
  };
  const auto few = [&] { return static_cast<uint32_t>(rng.between(0, 1 + rng.size() / 10)); };
  const double trips = static_cast<double>(rng.between(1, 5));
  add(few(), {{1, 0.5}, {2, 0.5}}, -1);
  add(few(), {{2, 1}}, -1);
  add(few(), {{2, 1 - 1 / trips}, {3, 1 / trips}}, 0);
  add(few(), {}, -1);
  program.blocks.back().leaves = 1;
  return program;
}

Launch any_launch(testing::Rng& rng) {
  return {.warps = static_cast<uint32_t>(rng.between(1, 9)),
          .resident = static_cast<uint32_t>(rng.between(1, 4)),
          .blocks = static_cast<uint32_t>(rng.between(4, 9))};
}

constexpr Rates kRates = {
    .path = 1, .l2_input = 0.5, .l2_read = 0.5, .l2_write = 0.5, .atomic = 2, .dram = 1};

LAW_ROUNDS(States, AddUpToTheWarpsCyclesAndLinesToTheLaunch, 60) {
  const Program program = any_program(rng);
  const States states = simulate(program, any_launch(rng), kRates, Hardware{});
  Cycles lines = {};
  for (const InstructionStates& one : states.instructions)
    for (size_t r = 0; r < kReasons; ++r) lines[r] += one.cycles[r];
  for (size_t r = 0; r < kReasons; ++r)
    EXPECT_NEAR(lines[r], states.warps[r], 1e-9 * (1 + states.warps[r]));
  EXPECT_NEAR(states.latency() * states.issued, sum_of(states.warps), 1e-9 * sum_of(states.warps));
  const auto of = [&](Reason reason) { return states.warps[static_cast<size_t>(reason)]; };
  EXPECT_EQ(of(Reason::kSelected), states.issued);
  EXPECT_EQ(of(Reason::kSelected) + of(Reason::kNotSelected), states.eligible);
}

LAW_ROUNDS(States, OfSmsThatAreNotAlikeLieBetweenAndAddUp, 20) {
  const Program program = any_program(rng);
  const Launch launch = any_launch(rng);
  Launch less = launch;
  --less.blocks;
  const States full = simulate(program, launch, kRates, Hardware{});
  const States rest = simulate(program, less, kRates, Hardware{});
  const States mean = mean_of(full, 0.25, rest);
  const double warp_cycles = 0.25 * sum_of(full.warps) + 0.75 * sum_of(rest.warps);
  EXPECT_NEAR(sum_of(mean.warps), warp_cycles, 1e-9 * warp_cycles);
  EXPECT_NEAR(mean.issued, 0.25 * full.issued + 0.75 * rest.issued, 1e-9 * full.issued);
  const double latency = mean.latency();
  EXPECT_GE(latency, std::min(full.latency(), rest.latency()) * (1 - 1e-9));
  EXPECT_LE(latency, std::max(full.latency(), rest.latency()) * (1 + 1e-9));
  EXPECT_EQ(mean_of(full, 1, rest).warps, full.warps);
}

LAW_ROUNDS(BlockSpans, OfAPlaceFollowEachOtherAndEachBlockIsThereOnce, 20) {
  const Program program = any_program(rng);
  const Launch launch = any_launch(rng);
  Seen seen;
  const States states = simulate(program, launch, kRates, Hardware{}, {}, &seen);
  ASSERT_EQ(seen.spans.size(), launch.blocks);
  std::vector<bool> met(launch.blocks);
  std::vector<int64_t> free(launch.resident);
  for (const BlockSpan& span : seen.spans) {
    EXPECT_FALSE(met.at(span.number));
    met[span.number] = true;
    EXPECT_GE(span.begin, free.at(span.place));
    EXPECT_GE(span.end, span.begin);
    EXPECT_LE(static_cast<double>(span.end), states.cycles);
    free[span.place] = span.end;
  }
}

LAW_ROUNDS(States, FollowFromTheInputAlone, 20) {
  const Program program = any_program(rng);
  const Launch launch = any_launch(rng);
  EXPECT_EQ(simulate(program, launch, kRates, Hardware{}),
            simulate(program, launch, kRates, Hardware{}));
}

LAW_ROUNDS(States, OfALaunchThatIsNotSeenToItsEndStillAddUp, 20) {
  const Program program = any_program(rng);
  Launch launch = any_launch(rng);
  launch.blocks = 400;
  const States states = simulate(program, launch, kRates, Hardware{}, {.cycles = 2'000});
  const double selected = states.warps[static_cast<size_t>(Reason::kSelected)];
  EXPECT_NEAR(selected, states.issued, 1e-9 * states.issued);
  const double eligible = selected + states.warps[static_cast<size_t>(Reason::kNotSelected)];
  EXPECT_NEAR(eligible, states.eligible, 1e-9 * states.eligible);
  EXPECT_NEAR(states.latency() * states.issued, sum_of(states.warps), 1e-9 * sum_of(states.warps));
}

}  // namespace
}  // namespace warpledger::sm
