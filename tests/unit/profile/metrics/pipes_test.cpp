#include "warpledger/profile/metrics/pipes.h"

#include <gtest/gtest.h>

namespace warpledger::profile {
namespace {

using Result = ProgramInstruction::Result;

PipeWork work_of(const char* text) {
  PipeWork work;
  add_work(sass::read_instruction(text), 10, work);
  return work;
}

TEST(Pipes, AnInstructionKeepsOnePipeBusy) {
  EXPECT_EQ(work_of("IADD3 R1, R2, R3, RZ"), PipeWork{.alu = 10});
  EXPECT_EQ(work_of("FFMA R1, R2, R3, R4"), PipeWork{.fma = 10});
  EXPECT_EQ(work_of("IMAD.MOV.U32 R1, RZ, RZ, R3"), PipeWork{.multiply = 10});
  EXPECT_EQ(work_of("IMAD.WIDE.U32 R2, R4, R6, R8"), PipeWork{.wide_multiply = 10});
  EXPECT_EQ(work_of("MUFU.RCP R1, R2"), PipeWork{.xu = 10});
  EXPECT_EQ(work_of("DFMA R2, R4, R6, R8"), PipeWork{.fp64 = 10});
  EXPECT_EQ(work_of("ULDC UR4, c[0x0][0x160]"), PipeWork{.uniform = 10});
  EXPECT_EQ(work_of("@P0 LDS R1, [R2]"), PipeWork{.lsu = 10});
  EXPECT_EQ(work_of("BAR.SYNC.DEFER_BLOCKING 0x0"), PipeWork{.barriers = 10});
}

TEST(Pipes, TensorCoresAreCountedInMultiplyAdds) {
  EXPECT_EQ(work_of("HMMA.16816.F32 R4, R8, R12, R4").tensor, 10U * 16 * 8 * 16);
  EXPECT_EQ(work_of("HMMA.1688.F32.TF32 R4, R8, R12, R4").tensor, 10U * 2 * 16 * 8 * 8);
}

TEST(Pipes, OnlyThreadIndicesPassTheLoadStoreUnit) {
  EXPECT_EQ(work_of("S2R R0, SR_TID.X").lsu, 10U);
  EXPECT_EQ(work_of("S2R R0, SR_CTAID.X").lsu, 0U);
}

TEST(Pipes, WithoutMachineCodeThePtxStandsForIt) {
  Profile profile;
  profile.code = {{.pipe = Pipe::kFma, .executions = 7},
                  {.pipe = Pipe::kLsu, .executions = 3},
                  {.pipe = Pipe::kNone, .executions = 9},
                  {.pipe = Pipe::kAlu, .executions = 2}};
  EXPECT_EQ(pipe_work(profile), (PipeWork{.alu = 2, .fma = 7, .lsu = 3}));
  profile.machine = Machine{.pipes = {.xu = 1}};
  EXPECT_EQ(pipe_work(profile), PipeWork{.xu = 1});
}

TEST(Pipes, APtxInstructionHasThePipeOfItsOpcodeAndTypes) {
  const std::pair<const char*, Pipe> kCases[] = {
      {"@%p1 fma.rn.f32 %f1, %f2, %f3, %f4;", Pipe::kFma},
      {"add.rn.bf16x2 %r1, %r2, %r3;", Pipe::kFma},
      {"add.s32 %r1, %r2, %r3;", Pipe::kAlu},
      {"add.f64 %fd1, %fd2, %fd3;", Pipe::kFp64},
      {"mov.f64 %fd1, %fd2;", Pipe::kAlu},
      {"ld.global.f32 %f1, [%rd1];", Pipe::kLsu},
      {"ld.param.u64 %rd1, [k_param_0];", Pipe::kNone},
      {"ld.const.f32 %f1, [table];", Pipe::kNone},
      {"mul.lo.s32 %r1, %r2, %r3;", Pipe::kMultiply},
      {"mad.wide.u32 %rd1, %r2, %r3, %rd4;", Pipe::kWideMultiply},
      {"mul.hi.u32 %r1, %r2, %r3;", Pipe::kWideMultiply},
      {"cvt.u64.u32 %rd1, %r1;", Pipe::kAlu},
      {"cvt.rn.f32.s32 %f1, %r1;", Pipe::kXu},
      {"rsqrt.approx.f32 %f1, %f2;", Pipe::kXu},
      {"div.full.f32 %f1, %f2, %f3;", Pipe::kXu},
      {"div.rn.f64 %fd1, %fd2, %fd3;", Pipe::kFp64},
      {"rem.u32 %r1, %r2, %r3;", Pipe::kUnsignedDivision},
      {"div.s32 %r1, %r2, %r3;", Pipe::kSignedDivision},
      {"div.s64 %rd1, %rd2, %rd3;", Pipe::kLongDivision},
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Pipe::kTensor},
      {"bar.sync 0;", Pipe::kBarrier},
      {"@%p2 bra $L__BB0_2;", Pipe::kNone},
      {"ret;", Pipe::kNone},
  };
  for (const auto& [text, pipe] : kCases) EXPECT_EQ(pipe_of(text), pipe) << text;
}

TEST(Pipes, AnOpcodeOfALaterVersionIsCountedAsArithmetic) {
  EXPECT_EQ(pipe_of("frobnicate.u32 %r1, %r2;"), Pipe::kAlu);
}

TEST(Pipes, ADivisionOfIntegersBecomesASequence) {
  PipeWork work;
  add_ptx_work(Pipe::kUnsignedDivision, 10, work);
  EXPECT_EQ(work, (PipeWork{.alu = 90, .multiply = 40, .wide_multiply = 20, .xu = 30}));
}

TEST(Pipes, ResultsOfMemoryAreWaitedFor) {
  EXPECT_EQ(result_of(sass::read_instruction("LDG.E R1, [R2.64]")), Result::kFar);
  EXPECT_EQ(result_of(sass::read_instruction("LDS.128 R4, [R2]")), Result::kShared);
  EXPECT_EQ(result_of(sass::read_instruction("FADD R4, R2, R3")), Result::kFixed);
}

}  // namespace
}  // namespace warpledger::profile
