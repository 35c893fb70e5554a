// mbarriers, bulk copies and asynchronous products, each with its cycles worked out by hand.
#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "warpledger/sm/sm.h"

namespace warpledger::sm::waits {  // its helpers are its own
namespace {

using Op = SyncOp::Kind;

Hardware quick() {
  Hardware hardware;
  hardware.start_wait = hardware.start_branch = 0;
  hardware.start_fetch = hardware.start_dispatch = 0;
  hardware.cold_code = hardware.cold_constant = hardware.l0_miss = 0;
  hardware.block_delay = hardware.block_interval = 0;
  return hardware;
}

Instruction plain(uint8_t stall = 1) { return {.stall = stall}; }
Instruction sync(int32_t stream, uint8_t stall = 1) {
  return {.kind = Kind::kSync, .stall = stall, .sync = stream};
}
Instruction phase_wait(int32_t stream) {
  return {.kind = Kind::kPhaseWait, .sets = 0, .sync = stream};
}
Instruction waiting() { return {.waits = 1}; }
Instruction product(uint32_t interval, bool closes) {
  return {.kind = Kind::kGroupProduct, .interval = interval, .latency = 33, .closes_group = closes};
}
Instruction await_products(uint8_t left) { return {.kind = Kind::kGroupAwait, .barrier = left}; }

SyncOp op(uint32_t stream, Op kind, uint32_t count = 0, int64_t bytes = 0, bool parity = false) {
  return {.kind = kind, .parity = parity, .stream = stream, .count = count, .bytes = bytes};
}

std::vector<std::vector<uint32_t>> firsts(const std::vector<Block>& blocks,
                                          std::vector<std::vector<uint32_t>> first) {
  first.resize(blocks.size());
  return first;
}

Program straight(std::vector<Instruction> code) {
  code.push_back({.kind = Kind::kExit});
  const auto end = static_cast<uint32_t>(code.size());
  return {.code = std::move(code), .blocks = {{.end = end, .leaves = 1, .executions = 1}}};
}

/// Each warp with operations of its own on one mbarrier.
Program with_ops(Program program, std::vector<std::vector<SyncOp>> ops) {
  program.roles = {{program.blocks, firsts(program.blocks, {})}};
  program.role_of.assign(ops.size(), 0);
  program.ops = std::move(ops);
  program.barriers = 1;
  return program;
}

States run(const Program& program, uint32_t warps = 1, Seen* seen = nullptr) {
  return simulate(program, {.warps = warps}, {.path = 1}, quick(), {}, seen);
}

double cycles(const States& states, size_t instruction, Reason reason) {
  return states.instructions[instruction].cycles[static_cast<size_t>(reason)];
}

TEST(Products, AreABarrierUntilTheTensorCoreHasDoneThem) {
  // Issued in 0 and 1, done in 128 and 256, the results 33 later: waits from 2 to 288.
  const States states = run(straight({product(128, false), product(128, true), await_products(0)}));
  EXPECT_EQ(cycles(states, 2, Reason::kBarrier), 287);
  EXPECT_EQ(states.instructions[2].waited_for, 1U);
}

TEST(Products, OfTheNewestGroupsMayBeUnderWay) {
  // The first group is done in 128 + 33: waits from 2 to 160.
  const States states = run(straight({product(128, true), product(128, true), await_products(1)}));
  EXPECT_EQ(cycles(states, 2, Reason::kBarrier), 159);
  EXPECT_EQ(states.instructions[2].waited_for, 0U);
}

TEST(Products, OfWarpsOfOneSubPartitionFollowEachOther) {
  // Warps 0 and 4: the second product is done after 256 cycles.
  const Program program = straight({product(128, true), await_products(0)});
  EXPECT_EQ(run(program).cycles + 128, run(program, 5).cycles);
  EXPECT_EQ(run(program, 4).cycles, run(program).cycles);
}

TEST(Products, ThatNobodyWaitsForTakeNoTime) {
  const Program program = straight({product(128, true), await_products(0)});
  const Program free = without_waits(program, {true, false, false});
  EXPECT_EQ(cycles(run(free), 1, Reason::kBarrier), 0);
}

TEST(Mbarrier, WaitEndsWithTheBytesOfACopyAndIsForIt) {
  // Set up in 0 and 1; the copy of 64 bytes, issued in 2, leaves the engine in 3 and is there 250
  // cycles (L2) and 170 later; its wait's answer takes 29: the user waits from 4 to 451.
  const Program program = with_ops(straight({sync(0), sync(1), sync(2), phase_wait(3), waiting()}),
                                   {{op(0, Op::kInit, 1), op(1, Op::kArrive, 1, 64),
                                     op(2, Op::kCopy, 0, 64), op(3, Op::kWait)}});
  const States states = run(program);
  EXPECT_EQ(cycles(states, 4, Reason::kLongScoreboard), 448);
  EXPECT_EQ(states.instructions[4].waited_for, 2U);
}

TEST(Mbarrier, WaitForThePhaseBeforeTheFirstHasEnded) {
  const Program program = with_ops(straight({sync(0), phase_wait(1), waiting()}),
                                   {{op(0, Op::kInit, 1), op(1, Op::kWait, 0, 0, true)}});
  EXPECT_EQ(cycles(run(program), 2, Reason::kLongScoreboard), 28);  // issued in 1, answer in 30
}

TEST(Mbarrier, WaitsForTheArrivalOfAnotherWarp) {
  // Both ask in 1. Warp 0's lanes are off there: its answer comes in 30. It arrives in 16, and the
  // answer of warp 1 comes in 45. Both need theirs in 17: 13 and 28 cycles.
  const Program program =
      with_ops(straight({sync(0), phase_wait(2), plain(14), sync(1), waiting()}),
               {{op(0, Op::kInit, 1), op(1, Op::kArrive, 1)}, {op(2, Op::kWait)}});
  const States states = run(program, 2);
  EXPECT_EQ(cycles(states, 4, Reason::kLongScoreboard), 13 + 28);
  EXPECT_EQ(states.instructions[4].waited_for, 3U);
}

TEST(Mbarrier, WaitThatNobodyEndsIsEndedAndCounted) {
  const Program program = with_ops(straight({sync(0), phase_wait(1), waiting()}),
                                   {{op(0, Op::kInit, 1), op(1, Op::kWait)}});
  Seen seen;
  const States states = run(program, 1, &seen);
  EXPECT_EQ(seen.endless, 1U);
  EXPECT_LT(states.cycles, 100);
}

TEST(Mbarrier, OfTheNextThreadBlockIsAnother) {
  const Program program =
      with_ops(straight({sync(0), sync(1), phase_wait(2), waiting()}),
               {{op(0, Op::kInit, 1), op(1, Op::kArrive, 1), op(2, Op::kWait)}});
  Seen seen;
  const States states =
      simulate(program, {.warps = 1, .resident = 2, .blocks = 5}, {}, quick(), {}, &seen);
  EXPECT_EQ(seen.spans.size(), 5U);
  EXPECT_EQ(seen.endless, 0U);
  EXPECT_EQ(states.issued, 5 * 5);
}

/// Issued in the first trips of a loop alone: which trips those are, the operations tell.
TEST(Paths, FollowTheOperationsThatWereRecorded) {
  Program program;
  program.code = {
      sync(0), {.kind = Kind::kBranch}, sync(1), {.kind = Kind::kBranch}, {.kind = Kind::kExit}};
  program.blocks = {
      {.first = 0, .end = 2, .next = {{1, 0.5}, {2, 0.5}}, .executions = 4},
      {.first = 2, .end = 3, .next = {{2, 1}}, .executions = 2},
      {.first = 3, .end = 4, .next = {{0, 0.75}, {3, 0.25}}, .executions = 4, .stays_in_loop = 0},
      {.first = 4, .end = 5, .leaves = 1, .executions = 1}};
  const std::vector<SyncOp> ops = {op(0, Op::kArrive), op(1, Op::kArrive), op(0, Op::kArrive),
                                   op(1, Op::kArrive), op(0, Op::kArrive), op(0, Op::kArrive)};
  program.roles = {{program.blocks, {{0}, {1}, {0, Paths::kEnd}, {Paths::kEnd}}}};
  program.role_of = {0};
  program.ops = {ops};
  program.barriers = 1;
  const States states = run(program);
  EXPECT_EQ(cycles(states, 0, Reason::kSelected), 4);
  EXPECT_EQ(cycles(states, 2, Reason::kSelected), 2);
  EXPECT_EQ(states.issued, 4 + 4 + 2 + 4 + 1);
}

/// Any operations, those included that no barrier can keep.
Program any_program(testing::Rng& rng, uint32_t warps) {
  std::vector<Instruction> code;
  const auto streams = static_cast<uint32_t>(rng.between(1, 4));
  for (uint32_t stream = 0; stream < streams; ++stream) {
    code.push_back(
        rng.coin() ? sync(static_cast<int32_t>(stream), static_cast<uint8_t>(rng.between(1, 12)))
                   : phase_wait(static_cast<int32_t>(stream)));
    if (rng.coin()) code.push_back(waiting());
    if (rng.coin()) code.push_back(product(static_cast<uint32_t>(rng.between(1, 64)), rng.coin()));
    if (rng.coin()) code.push_back(await_products(static_cast<uint8_t>(rng.between(0, 2))));
  }
  std::vector<std::vector<SyncOp>> ops(warps);
  for (std::vector<SyncOp>& of_warp : ops) {
    for (uint32_t stream = 0; stream < streams; ++stream) {
      const bool is_wait = std::any_of(code.begin(), code.end(), [&](const Instruction& one) {
        return one.kind == Kind::kPhaseWait && one.sync == static_cast<int32_t>(stream);
      });
      static const std::vector<Op> kinds = {Op::kInit, Op::kArrive, Op::kCopy, Op::kProduct,
                                            Op::kCommit};
      if (rng.coin())
        of_warp.push_back(op(stream, is_wait ? Op::kWait : rng.pick(kinds),
                             static_cast<uint32_t>(rng.between(0, 2)),
                             static_cast<int64_t>(rng.between(0, 4096)), rng.coin()));
    }
  }
  return with_ops(straight(std::move(code)), std::move(ops));
}

LAW_ROUNDS(Synchronization, AlwaysEndsAndItsStatesAddUp, 80) {
  const auto warps = static_cast<uint32_t>(rng.between(1, 9));
  const Program program = any_program(rng, warps);
  const Launch launch{.warps = warps,
                      .resident = static_cast<uint32_t>(rng.between(1, 3)),
                      .blocks = static_cast<uint32_t>(rng.between(3, 6))};
  Seen seen;
  const States states = simulate(program, launch, {.l2_read = 0.5}, Hardware{}, {}, &seen);
  EXPECT_EQ(seen.spans.size(), launch.blocks);
  EXPECT_EQ(states.issued, static_cast<double>(program.code.size()) * warps * launch.blocks);
  Cycles lines = {};
  for (const InstructionStates& one : states.instructions)
    for (size_t r = 0; r < kReasons; ++r) lines[r] += one.cycles[r];
  for (size_t r = 0; r < kReasons; ++r)
    EXPECT_NEAR(lines[r], states.warps[r], 1e-9 * (1 + states.warps[r]));
  EXPECT_EQ(simulate(program, launch, {.l2_read = 0.5}, Hardware{}), states);
}

}  // namespace
}  // namespace warpledger::sm::waits
