// What is a race and what is not, one behavior a test.
#include <gmock/gmock.h>

#include "tests/unit/exec/interpreter/machine.h"
#include "warpledger/race/watch.h"

namespace warpledger::race {
namespace {

using exec::TestMachine;

constexpr const char* kHead =
    ".reg .pred %p<8>;\n.reg .b32 %r<16>;\n.reg .b64 %d<16>;\n"
    ".shared .align 16 .b8 s[1024];\n"
    "ld.param.u64 %d0, [p0];\nmov.u32 %r0, %tid.x;\nmov.u32 %r9, s;\n"
    "shr.u32 %r8, %r0, 5;\nsetp.eq.u32 %p1, %r8, 0;\nsetp.eq.u32 %p2, %r0, 0;\n"
    "shl.b32 %r1, %r0, 2;\nadd.u32 %r1, %r1, %r9;\nmov.u32 %r7, %ctaid.x;\n";

/// Runs the body; %r0 is the thread, %r1 its own word of s, %p1 its warp is the first, %p2 it is
/// thread 0, %d0 4 KiB of global memory, %r7 the block.
Report races_of(const std::string& body, const Options& options = {}, uint32_t blocks = 1,
                uint32_t threads = 64) {
  TestMachine machine(exec::kernel_text(kHead + body + "ret;\n"));
  const uint64_t buffer = machine.put(std::vector<uint32_t>(1024), "buffer");
  const exec::Launch launch{.kernel = "k",
                            .grid = {blocks, 1, 1},
                            .block = {threads, 1, 1},
                            .params = TestMachine::pack(buffer)};
  auto engine = exec::reference::Engine::create(machine.image(), launch);
  EXPECT_TRUE(engine) << (engine ? "" : to_text(engine.error()));
  if (!engine) return {};
  Watch watch(**engine, options);
  trace::NoSink sink;
  const Status done = trace::run_all(watch, sink, blocks);
  EXPECT_TRUE(done) << (done ? "" : to_text(done.error()));
  return watch.report();
}

TEST(Race, AReadThatIsOverwrittenBehindTheBarrierIsWriteAfterRead) {
  const Report report = races_of(
      "st.shared.u32 [%r1], %r0;\nbar.sync 0;\n"
      "ld.shared.u32 %r2, [s];\n@%p2 st.shared.u32 [s], %r0;\n");
  ASSERT_EQ(report.races.size(), 1u);
  const Race& race = report.races[0];
  EXPECT_EQ(race.hazard, Hazard::kWriteAfterRead);
  EXPECT_EQ(race.address, 0u);
  EXPECT_EQ(race.first.thread, 32u);  // reads
  EXPECT_EQ(race.second.thread, 0u);  // writes
  EXPECT_EQ(race.count, 32u);
}

TEST(Race, ABarrierBetweenTheTwoIsEnough) {
  EXPECT_THAT(races_of("st.shared.u32 [%r1], %r0;\nbar.sync 0;\nld.shared.u32 %r2, [s];\n"
                       "bar.sync 0;\n@%p2 st.shared.u32 [s], %r0;\n")
                  .races,
              ::testing::IsEmpty());
}

TEST(Race, AReadOfWhatAnotherWarpHasJustWrittenIsReadAfterWrite) {
  const Report report =
      races_of("st.shared.u32 [%r1], %r0;\nxor.b32 %r3, %r1, 128;\nld.shared.u32 %r2, [%r3];\n");
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].hazard, Hazard::kReadAfterWrite);
}

TEST(Race, TwoWarpsThatWriteOneWordAreWriteAfterWrite) {
  const Report report = races_of("st.shared.u32 [s+16], %r0;\n");
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].hazard, Hazard::kWriteAfterWrite);
  EXPECT_EQ(report.races[0].address, 16u);
}

TEST(Race, NeighboringBytesOfAWordAreApart) {
  EXPECT_THAT(
      races_of("shr.u32 %r3, %r0, 5;\nadd.u32 %r3, %r3, %r9;\nst.shared.u8 [%r3], %r0;\n").races,
      ::testing::IsEmpty());
}

TEST(Race, ThreadsOfAWarpAreOrdered) {
  EXPECT_THAT(races_of("st.shared.u32 [s], %r0;\nld.shared.u32 %r2, [s+4];\n"
                       "st.shared.u32 [s+4], %r0;\n",
                       {}, 1, 32)
                  .races,
              ::testing::IsEmpty());
}

TEST(Race, AtomicsDoNotRaceWithEachOther) {
  EXPECT_THAT(races_of("red.shared.add.u32 [s], 1;\n").races, ::testing::IsEmpty());
}

TEST(Race, AnAtomicAndAPlainWriteRace) {
  EXPECT_EQ(races_of("red.shared.add.u32 [s], 1;\n@%p2 st.shared.u32 [s], %r0;\n").races.size(),
            1u);
}

TEST(Race, BarriersOfSomeWarpsOrderProducerAndConsumer) {
  EXPECT_THAT(races_of("@%p1 bra PRODUCE;\n"
                       "bar.sync 1, 64;\nsub.u32 %r3, %r1, 128;\nld.shared.u32 %r2, [%r3];\n"
                       "bar.arrive 2, 64;\nbra DONE;\n"
                       "PRODUCE:\nst.shared.u32 [%r1], %r0;\nbar.arrive 1, 64;\nbar.sync 2, 64;\n"
                       "st.shared.u32 [%r1], %r0;\nDONE:\n")
                  .races,
              ::testing::IsEmpty());
}

TEST(Race, BeforeItsFirstBarrierOfSomeWarpsAWarpHasMetNobody) {
  EXPECT_EQ(races_of("st.shared.u32 [s], %r0;\nbar.sync 1, 64;\n").races.size(), 1u);
}

TEST(Race, CopiesThatAreWaitedForBeforeTheBarrierAreOrdered) {
  EXPECT_THAT(races_of("shl.b32 %r4, %r0, 4;\ncvt.u64.u32 %d2, %r4;\nadd.u64 %d2, %d2, %d0;\n"
                       "add.u32 %r5, %r4, %r9;\ncp.async.ca.shared.global [%r5], [%d2], 16;\n"
                       "cp.async.commit_group;\ncp.async.wait_group 0;\nbar.sync 0;\n"
                       "xor.b32 %r6, %r1, 128;\nld.shared.u32 %r2, [%r6];\n")
                  .races,
              ::testing::IsEmpty());
}

TEST(Race, ACopyIntoWhatOthersStillReadRaces) {
  EXPECT_EQ(races_of("shl.b32 %r4, %r0, 4;\ncvt.u64.u32 %d2, %r4;\nadd.u64 %d2, %d2, %d0;\n"
                     "add.u32 %r5, %r4, %r9;\nxor.b32 %r6, %r1, 128;\nld.shared.u32 %r2, [%r6];\n"
                     "cp.async.ca.shared.global [%r5], [%d2], 16;\ncp.async.wait_all;\n")
                .races.size(),
            1u);
}

TEST(Race, ALockOrdersWhatItGuards) {
  EXPECT_THAT(races_of("and.b32 %r3, %r0, 31;\nsetp.ne.u32 %p3, %r3, 0;\n@%p3 bra DONE;\n"
                       "TAKE:\natom.shared.cas.b32 %r4, [s+512], 0, 1;\n"
                       "setp.ne.u32 %p4, %r4, 0;\n@%p4 bra TAKE;\nmembar.cta;\n"
                       "ld.shared.u32 %r5, [s];\nadd.u32 %r5, %r5, 1;\nst.shared.u32 [s], %r5;\n"
                       "membar.cta;\natom.shared.exch.b32 %r4, [s+512], 0;\nDONE:\n")
                  .races,
              ::testing::IsEmpty());
}

TEST(Race, WhatComesBeforeALockAndBehindItIsNotGuarded) {
  const std::string lock =
      "mov.u32 %r6, 0;\nTAKE:\natom.shared.cas.b32 %r4, [s+512], 0, 1;\n"
      "st.shared.u32 [s+4], %r0;\natom.shared.exch.b32 %r5, [s+512], 0;\n"
      "add.u32 %r6, %r6, 1;\nsetp.lt.u32 %p4, %r6, 3;\n@%p4 bra TAKE;\n";
  EXPECT_EQ(races_of("st.shared.u32 [s], %r0;\n" + lock).races.size(), 1u);
  EXPECT_EQ(races_of(lock + "st.shared.u32 [s], %r0;\n").races.size(), 1u);
  EXPECT_EQ(races_of(lock + "bar.sync 0;\n" + "st.shared.u32 [s], %r0;\n").races.size(), 1u);
  EXPECT_THAT(races_of(lock).races, ::testing::IsEmpty());
}

TEST(Race, ABlockWhoseWarpComesToABarrierInPartsIsLeftAlone) {
  const Report report = races_of(
      "and.b32 %r3, %r0, 1;\nsetp.eq.u32 %p3, %r3, 0;\n@%p3 bra EVEN;\nbarrier.sync 0;\nbra DONE;\n"
      "EVEN:\nbarrier.sync 0;\nDONE:\nst.shared.u32 [s], %r0;\n");
  EXPECT_THAT(report.races, ::testing::IsEmpty());
  EXPECT_EQ(report.left_alone, 1u);
}

TEST(Race, IsFoundAtTheEndOfALongInterval) {
  const Report report = races_of(
      "mov.u32 %r3, 0;\nLOOP:\nld.shared.u32 %r2, [%r1];\nst.shared.u32 [%r1], %r2;\n"
      "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, 50000;\n@%p3 bra LOOP;\n"
      "st.shared.u32 [s+512], %r0;\n");
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_EQ(report.races[0].address, 512u);
}

TEST(GlobalRace, IsNotLookedForUnlessAsked) {
  EXPECT_THAT(races_of("st.global.u32 [%d0], %r0;\n").races, ::testing::IsEmpty());
}

TEST(GlobalRace, WarpsThatAddToOneWordRace) {
  const Report report = races_of(
      "and.b32 %r3, %r0, 31;\nmul.wide.u32 %d1, %r3, 4;\nadd.u64 %d1, %d0, %d1;\n"
      "ld.global.u32 %r4, [%d1];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%d1], %r4;\n",
      {.global = true});
  ASSERT_EQ(report.races.size(), 2u);  // load and store, store and store
  EXPECT_EQ(report.races[0].hazard, Hazard::kWriteAfterRead);
  EXPECT_EQ(report.races[1].hazard, Hazard::kWriteAfterWrite);
}

TEST(GlobalRace, BlocksThatWriteOneWordRace) {
  const Report report = races_of("st.global.u32 [%d0], %r0;\n", {.global = true}, 2, 32);
  ASSERT_EQ(report.races.size(), 1u);
  EXPECT_NE(report.races[0].first.block, report.races[0].second.block);
}

TEST(GlobalRace, BlocksThatKeepToTheirWordsDoNot) {
  EXPECT_THAT(races_of("mad.lo.u32 %r3, %r7, 64, %r0;\nmul.wide.u32 %d1, %r3, 4;\n"
                       "add.u64 %d1, %d0, %d1;\nst.global.u32 [%d1], %r0;\n",
                       {.global = true}, 4)
                  .races,
              ::testing::IsEmpty());
}

TEST(GlobalRace, AFlagThatIsPolledBehindAFenceOrders) {
  EXPECT_THAT(races_of("@%p1 bra WRITE;\nWAIT:\nld.volatile.global.u32 %r2, [%d0+256];\n"
                       "setp.eq.u32 %p3, %r2, 0;\n@%p3 bra WAIT;\nmembar.gl;\n"
                       "ld.global.u32 %r3, [%d0];\nbra DONE;\n"
                       "WRITE:\nst.global.u32 [%d0], 7;\nmembar.gl;\n"
                       "st.volatile.global.u32 [%d0+256], 1;\nDONE:\n",
                       {.global = true})
                  .races,
              ::testing::IsEmpty());
}

TEST(GlobalRace, TheLastBlockReadsWhatTheOthersHaveWritten) {
  EXPECT_THAT(races_of("setp.ne.u32 %p3, %r0, 0;\n@%p3 bra DONE;\nmul.wide.u32 %d1, %r7, 4;\n"
                       "add.u64 %d1, %d0, %d1;\nst.global.u32 [%d1], %r7;\nmembar.gl;\n"
                       "atom.global.inc.u32 %r2, [%d0+512], 3;\nsetp.ne.u32 %p4, %r2, 3;\n"
                       "@%p4 bra DONE;\nld.global.u32 %r3, [%d0];\nld.global.u32 %r4, [%d0+4];\n"
                       "add.u32 %r3, %r3, %r4;\nst.global.u32 [%d0+8], %r3;\nDONE:\n",
                       {.global = true}, 4)
                  .races,
              ::testing::IsEmpty());
}

}  // namespace
}  // namespace warpledger::race
