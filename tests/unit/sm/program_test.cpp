// Machine code as an SM sees it.
#include "warpledger/sm/program.h"

#include <gtest/gtest.h>

namespace warpledger::sm {
namespace {

Instruction decoded(const char* text, const Hardware& hardware = {}) {
  return decode(sass::read_instruction(text), nullptr, {}, hardware);
}

TEST(Decode, KnowsTheUnitOfAnInstruction) {
  EXPECT_EQ(decoded("LDG.E R2, [R4.64]").kind, Kind::kLoad);
  EXPECT_EQ(decoded("RED.E.ADD [R4.64], R2").kind, Kind::kReduction);
  EXPECT_EQ(decoded("LDS R2, [R4]").kind, Kind::kSharedLoad);
  EXPECT_EQ(decoded("MUFU.RCP R2, R4").kind, Kind::kSpecial);
  EXPECT_EQ(decoded("SHFL.BFLY PT, R0, R1, 0x1, 0x1f").kind, Kind::kShuffle);
  EXPECT_EQ(decoded("S2R R0, SR_TID.X").kind, Kind::kSystem);
  EXPECT_EQ(decoded("S2R R0, SR_CTAID.X").kind, Kind::kSystem);
  EXPECT_EQ(decoded("IADD3 R0, R1, R2, RZ").pipe, Pipe::kAlu);
  EXPECT_EQ(decoded("IMAD R0, R1, R2, R3").pipe, Pipe::kFmaHeavy);
}

TEST(Decode, AFillerTouchesNothing) { EXPECT_EQ(decoded("@!PT LDS R2, [R4]").kind, Kind::kFiller); }

TEST(Decode, TensorCoresTakeTheirWorkOverTheirRate) {
  // 16 x 8 x 16 multiply-adds at 128 a cycle.
  EXPECT_EQ(decoded("HMMA.16816.F32 R4, R8, R12, R4").interval, 16U);
}

TEST(Decode, TensorCoresMayBeSlowerWhereSumsAreFp32) {
  Hardware hardware;
  hardware.tensor_fp32_rate = 64;
  EXPECT_EQ(decoded("HMMA.16816.F32 R4, R8, R12, R4", hardware).interval, 32U);
  EXPECT_EQ(decoded("HMMA.16816.F16 R4, R8, R12, R4", hardware).interval, 16U);
}

TEST(Decode, Fp64IsAPipeOrBehindTheQueues) {
  Hardware hardware;
  EXPECT_EQ(decoded("DADD R4, R8, R12", hardware).pipe, Pipe::kFp64);
  hardware.has_queued_fp64 = true;
  EXPECT_EQ(decoded("DADD R4, R8, R12", hardware).kind, Kind::kDouble);
  EXPECT_EQ(decoded("DADD R4, R8, R12", hardware).pipe, Pipe::kMio);
}

TEST(Decode, CountsReadsOfTheRegisterBanks) {
  using Reads = std::array<uint8_t, 2>;
  EXPECT_EQ(decoded("FFMA R1, R2, R4, R6").bank_reads, (Reads{3, 0}));
  EXPECT_EQ(decoded("FFMA R1, R2, c[0x0][0x160], -R7").bank_reads, (Reads{1, 1}));
  EXPECT_EQ(decoded("IMAD.WIDE R2, R4, R5, R6.64").bank_reads, (Reads{2, 2}));
  EXPECT_EQ(decoded("IADD3 R1, R2, RZ, RZ").bank_reads, (Reads{1, 0}));
}

TEST(Decode, ReadsWhatTheInstructionBeforeKeptFromTheOperandCache) {
  const sass::Instruction before = sass::read_instruction("FFMA R1, R2.reuse, R4, R6");
  const sass::Instruction after = sass::read_instruction("FFMA R3, R2, R5, R4");
  EXPECT_EQ(decode(after, &before, {}, {}).bank_reads, (std::array<uint8_t, 2>{1, 1}));
}

TEST(Decode, ABarrierMayNameWarps) {
  const Instruction barrier = decoded("BAR.SYNC.DEFER_BLOCKING 0x1, 0x80");
  EXPECT_EQ(barrier.kind, Kind::kBarrier);
  EXPECT_EQ(barrier.barrier, 1);
  EXPECT_EQ(barrier.barrier_warps, 4U);
}

TEST(Decode, WaitsForGroupsOfCopies) {
  const Instruction await = decoded("DEPBAR.LE SB0, 0x2");
  EXPECT_EQ(await.kind, Kind::kAwait);
  EXPECT_EQ(await.barrier, 2);
}

/// MOV; a loop of one instruction; EXIT.
Program looped(double trips) {
  std::vector<sass::Instruction> code;
  for (const char* text : {"MOV R0, RZ", "@P0 BRA 0x10", "EXIT"})
    code.push_back(sass::read_instruction(text));
  const std::vector<sass::SassBlock> blocks = {
      {.first = 0, .end = 1, .successors = {1}},
      {.first = 1, .end = 2, .successors = {1, 2}, .predecessors = {0, 1}},
      {.first = 2, .end = 3, .predecessors = {1}, .leaves = true}};
  const Counts counts{
      .executions = {100, 100 * trips, 100}, .warps = 100, .accesses = std::vector<Access>(3)};
  return build_program(code, blocks, counts, {});
}

TEST(Program, ALoopsBranchStaysForAllTripsButOne) {
  const Program program = looped(8);
  const Block& loop = program.blocks[1];
  ASSERT_EQ(loop.stays_in_loop, 0);
  EXPECT_NEAR(loop.next[0].share, 7.0 / 8, 1e-9);
  EXPECT_NEAR(loop.next[1].share, 1.0 / 8, 1e-9);
  EXPECT_EQ(program.blocks[2].leaves, 1);
}

TEST(Program, ABlockWithoutACountOnTheOnlyWayRan) {
  std::vector<sass::Instruction> code;
  for (const char* text : {"MOV R0, RZ", "MOV R1, RZ", "EXIT"})
    code.push_back(sass::read_instruction(text));
  const std::vector<sass::SassBlock> blocks = {
      {.first = 0, .end = 1, .successors = {1}},
      {.first = 1, .end = 2, .successors = {2}, .predecessors = {0}},
      {.first = 2, .end = 3, .predecessors = {1}, .leaves = true}};
  const Counts counts{.executions = {0, 0, 10}, .warps = 10, .accesses = std::vector<Access>(3)};
  const Program program = build_program(code, blocks, counts, {});
  EXPECT_EQ(program.blocks[0].executions, 1);
  EXPECT_EQ(program.blocks[1].executions, 1);
}

TEST(Hardware, ComesFromTheGpusFile) {
  const auto rtx3080 = find_gpu("rtx3080");
  ASSERT_TRUE(rtx3080.ok());
  const auto hardware = hardware_of(*rtx3080);
  ASSERT_TRUE(hardware);
  EXPECT_EQ(hardware->l1, 33);
  EXPECT_EQ(hardware->shared, 29);
  EXPECT_NEAR(hardware->l2, 33 + (250 - 33) * 1440.0 / 1740, 1e-9);
  EXPECT_TRUE(hardware->has_two_fma);
  EXPECT_EQ(hardware->lsu_interval, 2);
  EXPECT_TRUE(hardware->has_queued_fp64);
}

TEST(Hardware, OfGeForceHalvesTensorCoresWithFp32Sums) {
  // RTX 3090: 71 of 142 TFLOPS; RTX A6000, a GA102 as well: the same with both.
  const auto rate = [](const char* name) {
    const auto hardware = hardware_of(*find_gpu(name));
    return hardware->tensor_fp32_rate / hardware->tensor_rate;
  };
  EXPECT_EQ(rate("rtx3090"), 0.5);
  EXPECT_EQ(rate("a6000"), 1);
}

}  // namespace
}  // namespace warpledger::sm
