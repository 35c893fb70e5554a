// Mechanisms of an SM, each with its cycles worked out by hand.
#include <gtest/gtest.h>

#include "warpledger/sm/sm.h"

namespace warpledger::sm {
namespace {

/// Nothing is cold and a warp starts at once: what is left is the mechanism that is looked at.
Hardware quick() {
  Hardware hardware;
  hardware.start_wait = hardware.start_branch = 0;
  hardware.start_fetch = hardware.start_dispatch = 0;
  hardware.cold_code = hardware.cold_constant = hardware.l0_miss = 0;
  hardware.block_delay = hardware.block_interval = 0;
  return hardware;
}

Instruction plain(uint8_t stall = 1) { return {.stall = stall}; }
Instruction on(Pipe pipe, uint32_t interval) { return {.pipe = pipe, .interval = interval}; }
Instruction memory(Kind kind, uint8_t sets = 7) {
  return {.kind = kind, .pipe = Pipe::kMio, .sets = sets, .latency = 29};
}
Instruction waiting(uint8_t scoreboard) {
  return {.waits = static_cast<uint8_t>(1U << scoreboard)};
}

/// One block of code, EXIT added.
Program straight(std::vector<Instruction> code) {
  code.push_back({.kind = Kind::kExit});
  const auto end = static_cast<uint32_t>(code.size());
  return {.code = std::move(code), .blocks = {{.end = end, .leaves = 1, .executions = 1}}};
}

States run(const Program& program, const Launch& launch = {}, const Hardware& hardware = quick(),
           const Rates& rates = {}) {
  return simulate(program, launch, rates, hardware);
}

double cycles(const States& states, Reason reason) {
  return states.warps[static_cast<size_t>(reason)];
}

TEST(Wait, IsTheStallCountWithoutTheIssue) {
  const States states = run(straight({plain(4), plain(2)}));
  EXPECT_EQ(cycles(states, Reason::kWait), 3 + 1);
  EXPECT_EQ(cycles(states, Reason::kSelected), 3);
}

TEST(Drain, HoldsAWarpAfterItsExit) {
  // EXIT in cycle 1, gone in cycle 11: cycles 2 to 10.
  const States states = run(straight({plain()}));
  EXPECT_EQ(cycles(states, Reason::kDrain), 9);
  EXPECT_EQ(states.cycles, 11);
}

TEST(Drain, WaitsForStoresToLeave) {
  // Issued in 0, at the load/store unit in 6, tags in 7, data in 8 to 9, path 1: released in 16.
  // EXIT in 1; the warp ends in 16: cycles 2 to 15.
  Instruction store = memory(Kind::kStore);
  store.access.sectors = 1;
  EXPECT_EQ(cycles(run(straight({store})), Reason::kDrain), 14);
}

TEST(LongScoreboard, IsTheLatencyOfTheL1) {
  // Issued in 0, its user in 33: cycles 1 to 32.
  const States states = run(straight({memory(Kind::kLoad, 0), waiting(0)}));
  EXPECT_EQ(cycles(states, Reason::kLongScoreboard), 32);
  EXPECT_EQ(states.instructions[1].waited_for, 0U);
}

TEST(LongScoreboard, OfAMissIsTheLatencyOfTheL2) {
  Instruction load = memory(Kind::kLoad, 0);
  load.access.misses = 1;
  load.access.sectors = 4;
  const States states = run(straight({load, waiting(0)}));
  EXPECT_EQ(cycles(states, Reason::kLongScoreboard), quick().l2);  // one more: the path
}

TEST(ShortScoreboard, IsTheLatencyOfSharedMemory) {
  const States states = run(straight({memory(Kind::kSharedLoad, 0), waiting(0)}));
  EXPECT_EQ(cycles(states, Reason::kShortScoreboard), 28);
}

TEST(ShortScoreboard, GrowsByAWavefrontForEachBankConflict) {
  Instruction load = memory(Kind::kSharedLoad, 0);
  load.access.data_wavefronts = 8;
  EXPECT_EQ(cycles(run(straight({load, waiting(0)})), Reason::kShortScoreboard), 28 + 7);
}

TEST(LongScoreboard, OfAsyncCopiesIsTheirGroup) {
  // The second group may be under way: the wait ends with the first.
  const Instruction copy = memory(Kind::kAsyncCopy);
  const Instruction commit{.kind = Kind::kCommit, .sets = 0};
  const Instruction await{.kind = Kind::kAwait, .sets = 0, .barrier = 1};
  const States one = run(straight({copy, commit, copy, commit, await}));
  // Issued in 0: done in 33. The wait begins in 4: cycles 4 to 32.
  EXPECT_EQ(cycles(one, Reason::kLongScoreboard), 29);
}

TEST(LongScoreboard, OfCopiesGrowsWhereTheyHoldTheLinesOfTheL1) {
  Instruction copy = memory(Kind::kAsyncCopy, 0);
  copy.access.misses = 1;
  copy.access.sectors = 4;
  Hardware hardware = quick();
  hardware.copy_lines = 0;
  const auto wait = [&](double lines) {
    copy.access.copy_lines = lines;
    return cycles(run(straight({copy, copy, waiting(0)}), {}, hardware), Reason::kLongScoreboard);
  };
  // Past the L1 the second one is two cycles behind the first. Through it, it passes the tags when
  // the first has arrived: l2 - l1 = 217 cycles, and one each for the tag and the data stage.
  EXPECT_EQ(wait(1) - wait(0), 217 + 2 - 2);
}

TEST(WithoutWaits, NobodyWaitsForWhatIsMarked) {
  const Program program =
      straight({memory(Kind::kLoad, 0), memory(Kind::kSharedLoad, 1), waiting(0), waiting(1)});
  const States states = run(without_waits(program, {true, false, false, false, false}));
  EXPECT_EQ(cycles(states, Reason::kLongScoreboard), 0);
  EXPECT_GT(cycles(states, Reason::kShortScoreboard), 0);
  EXPECT_LE(states.cycles, run(program).cycles);
}

TEST(WithoutWaits, AGroupOfCopiesThatIsMarkedHoldsNobody) {
  const Instruction commit{.kind = Kind::kCommit, .sets = 0};
  const Instruction await{.kind = Kind::kAwait, .sets = 0};
  const Program program = straight({memory(Kind::kAsyncCopy), commit, await});
  EXPECT_GT(cycles(run(program), Reason::kLongScoreboard), 0);
  const States states = run(without_waits(program, {false, true, false, false}));
  EXPECT_EQ(cycles(states, Reason::kLongScoreboard), 0);
}

TEST(MathPipe, IsBusyForItsInterval) {
  const States states =
      run(straight({on(Pipe::kAlu, 4), on(Pipe::kAlu, 4), on(Pipe::kFmaHeavy, 2)}));
  EXPECT_EQ(cycles(states, Reason::kMathPipeThrottle), 3);
}

TEST(MathPipe, TwoPipesShareFp32) {
  const Instruction fma = on(Pipe::kFma, 2);
  EXPECT_EQ(cycles(run(straight({fma, fma, fma, fma})), Reason::kMathPipeThrottle), 0);
  const Instruction heavy = on(Pipe::kFmaHeavy, 2);
  EXPECT_EQ(cycles(run(straight({heavy, heavy, heavy})), Reason::kMathPipeThrottle), 2);
}

TEST(MioThrottle, BeginsWhereTheQueueIsFull) {
  // Five entries are taken in cycles 0 to 4. The first leaves in 6, so that the sixth, ready in 5,
  // goes in 6.
  const std::vector<Instruction> six(6, memory(Kind::kSharedStore));
  EXPECT_EQ(cycles(run(straight(six)), Reason::kMioThrottle), 1);
  // They leave every second cycle: the seventh, ready in 7, goes in 8, the eighth in 10.
  const std::vector<Instruction> eight(8, memory(Kind::kSharedStore));
  EXPECT_EQ(cycles(run(straight(eight)), Reason::kMioThrottle), 1 + 1 + 1);
}

TEST(MioThrottle, OfFillersIsTheQueueAlone) {
  // As above, but they leave every cycle, for no unit: only the sixth waits.
  const std::vector<Instruction> eight(8, memory(Kind::kFiller));
  EXPECT_EQ(cycles(run(straight(eight)), Reason::kMioThrottle), 1);
}

TEST(MioThrottle, IsWhatCopiesToSharedMemoryWaitIn) {
  // As two loads with one credit of the queue for global memory.
  Hardware hardware = quick();
  hardware.lg_entries = 1;
  const States states =
      run(straight({memory(Kind::kAsyncCopy), memory(Kind::kAsyncCopy)}), {}, hardware);
  EXPECT_EQ(cycles(states, Reason::kMioThrottle), 6);
  EXPECT_EQ(cycles(states, Reason::kLgThrottle), 0);
}

TEST(LgThrottle, BeginsWhereTheCreditsAreUsed) {
  // One credit: a load gives it back as it passes the tag stage, in cycle 7.
  Hardware hardware = quick();
  hardware.lg_entries = 1;
  const States states = run(straight({memory(Kind::kLoad), memory(Kind::kLoad)}), {}, hardware);
  EXPECT_EQ(cycles(states, Reason::kLgThrottle), 6);
}

TEST(Barrier, HoldsWarpsUntilTheLastHasCome) {
  // Warps 0 and 4 share a scheduler: they arrive in 0 and 1, and go on 30 cycles later; stall
  // counts of 1 are not waits. Warp 0: 1 to 30; the others of its cycle as well; warp 4: 2 to 30.
  const Program program = straight({{.kind = Kind::kBarrier}});
  const States states = run(program, {.warps = 5});
  EXPECT_EQ(cycles(states, Reason::kBarrier), 4 * 30 + 29);
}

TEST(Barrier, CountsTheWarpsThatItNames) {
  // Of two warps it needs one: each goes on 30 cycles after its own arrival.
  const Instruction named{.kind = Kind::kBarrier, .barrier = 1, .barrier_warps = 1};
  const States states = run(straight({named}), {.warps = 2});
  EXPECT_EQ(cycles(states, Reason::kBarrier), 2 * 29);
}

TEST(NotSelected, IsWhereAnotherWarpIssues) {
  // Warps 0 and 4 of one scheduler: one of them waits in cycle 0, and so on to the last issue.
  const States states = run(straight({plain(), plain()}), {.warps = 5});
  EXPECT_EQ(states.issued, 15);
  EXPECT_EQ(cycles(states, Reason::kNotSelected) + states.issued, states.eligible);
  EXPECT_GT(cycles(states, Reason::kNotSelected), 0);
}

TEST(ShortScoreboard, OfTheOneFp64UnitCountsItsTurns) {
  // Two sub-partitions issue in 0 and leave their queues in 6 and, 64 / 4 cycles later, in 22; the
  // results come 29 - 6 cycles after that: cycles 1 to 28 and 1 to 44.
  const Program program = straight({memory(Kind::kDouble, 0), waiting(0)});
  const States states = run(program, {.warps = 2});
  EXPECT_EQ(cycles(states, Reason::kShortScoreboard), 28 + 44);
  EXPECT_EQ(cycles(states, Reason::kMathPipeThrottle), 0);
}

TEST(LongScoreboard, WaitsForWhatAStoreOfPartsFetches) {
  // The store takes DRAM's first 200 x 10 cycles, the load the 10 after them; alone, DRAM would
  // have answered what is asked of it in 11 at once.
  Hardware hardware = quick();
  hardware.dram_spread = 0;
  Instruction store = memory(Kind::kStore), load = memory(Kind::kLoad, 0);
  store.access.sectors = load.access.sectors = 1;
  load.access.misses = load.access.dram = 1;
  const auto waits = [&](double fetched) {
    store.access.dram_fetched = fetched;
    const States states = run(straight({store, load, waiting(0)}), {}, hardware, {.dram = 10});
    return cycles(states, Reason::kLongScoreboard);
  };
  EXPECT_EQ(waits(200) - waits(0), 2010 - 11);
}

TEST(Membar, WaitsForWhatIsUnderWay) {
  // As in Drain: the store is released in 16; the fence issues in 1: cycles 2 to 15, but it takes
  // 20 in any case: cycles 2 to 20.
  Instruction store = memory(Kind::kStore);
  store.access.sectors = 1;
  EXPECT_EQ(cycles(run(straight({store, {.kind = Kind::kFence}})), Reason::kMembar), 19);
}

TEST(Branch, IsResolvedAndFetchedWhereItIsTaken) {
  // A loop of two trips: taken once.
  const Program program{
      .code = {plain(), {.kind = Kind::kBranch, .stall = 5}, {.kind = Kind::kExit}},
      .blocks = {{.end = 2, .next = {{0, 0.5}, {1, 0.5}}, .executions = 2, .stays_in_loop = 0},
                 {.first = 2, .end = 3, .leaves = 1, .executions = 1}}};
  const States states = run(program);
  EXPECT_EQ(states.issued, 5);
  EXPECT_EQ(cycles(states, Reason::kBranchResolving), 3);
  EXPECT_EQ(cycles(states, Reason::kNoInstruction), 3);
  EXPECT_EQ(cycles(states, Reason::kWait), 2 * 4);
}

TEST(Branch, IsResolvedWherePartedLanesMeet) {
  const Instruction meet{.kind = Kind::kReconverge, .stall = 5};
  const States states = run(straight({meet, plain()}));
  EXPECT_EQ(cycles(states, Reason::kBranchResolving), 9);
  EXPECT_EQ(cycles(states, Reason::kWait), 4);
}

TEST(NoInstruction, IsTheColdCode) {
  Hardware hardware = quick();
  hardware.cold_code = 100;
  hardware.l0_miss = 20;
  EXPECT_EQ(cycles(run(straight({plain()}), {}, hardware), Reason::kNoInstruction), 120);
}

TEST(ImcMiss, IsTheFirstTouchOfAConstantLine) {
  Hardware hardware = quick();
  hardware.cold_constant = 50;
  Program program = straight({{.constant_line = 0}, {.constant_line = 0}});
  program.constant_lines = 1;
  EXPECT_EQ(cycles(run(program, {}, hardware), Reason::kImcMiss), 50);
}

TEST(DispatchStall, IsWhereOperandsDoNotFitTheirWindow) {
  // Three reads of one bank take cycles 0 to 2. The second begins after them: one read fits the
  // window of three cycles from 1 on, two or three do not, and it waits (Huerta et al., listing 1).
  const auto stalls = [](uint8_t reads) {
    const Instruction first{.bank_reads = {3, 0}}, second{.bank_reads = {reads, 0}};
    return cycles(run(straight({first, second})), Reason::kDispatchStall);
  };
  EXPECT_EQ(stalls(1), 0);
  EXPECT_EQ(stalls(2), 1);
  EXPECT_EQ(stalls(3), 2);
}

TEST(LgThrottle, IsAFullQueueForGlobalMemory) {
  // As six shared stores: the sixth finds the queue full for a cycle.
  const std::vector<Instruction> six(6, memory(Kind::kLoad));
  const States states = run(straight(six));
  EXPECT_EQ(cycles(states, Reason::kLgThrottle), 1);
  EXPECT_EQ(cycles(states, Reason::kMioThrottle), 0);
}

TEST(Start, TakesItsCyclesOncePerWarp) {
  Hardware hardware = quick();
  const Hardware usual;
  hardware.start_wait = usual.start_wait;
  hardware.start_branch = usual.start_branch;
  hardware.start_fetch = usual.start_fetch;
  hardware.start_dispatch = usual.start_dispatch;
  const States states = run(straight({plain()}), {}, hardware);
  EXPECT_EQ(cycles(states, Reason::kWait), 3);
  EXPECT_EQ(cycles(states, Reason::kBranchResolving), 8);
  EXPECT_EQ(cycles(states, Reason::kNoInstruction), 7);
  EXPECT_EQ(cycles(states, Reason::kDispatchStall), 3);
}

TEST(Scheduler, StaysWithItsWarpWhileAskedTo) {
  // Two warps of one scheduler, three instructions each that keep: the first runs through.
  const Instruction keeps{.keeps = true};
  const States kept = run(straight({keeps, keeps, keeps}), {.warps = 5});
  // Warp 4 starts in cycle 1, and is eligible while warp 0 issues in 1, 2 and 3.
  EXPECT_EQ(cycles(kept, Reason::kNotSelected), 3);
}

TEST(Blocks, AreReplacedWhereOneEnds) {
  const States states = run(straight({plain()}), {.warps = 4, .resident = 2, .blocks = 7});
  EXPECT_EQ(states.issued, 7 * 4 * 2);
}

}  // namespace
}  // namespace warpledger::sm
