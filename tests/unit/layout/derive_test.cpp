#include "warpledger/layout/derive/derive.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "warpledger/layout/derive/lane_machine.h"
#include "warpledger/layout/derive/tracer.h"

namespace warpledger::derive {
namespace {

std::string dump_of(const Fragment& fragment) {
  std::string text = "# lane element value\n";
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < fragment.elements; ++i) {
      const auto at = fragment.map.at({i, lane});
      text += fmt::format("{} {} {}\n", lane, i, 100 * at[0] + at[1]);
    }
  }
  return text;
}

TEST(Dump, FitsTheMapThatTheHardwareShowed) {
  const auto fragment = find_fragment("wmma.m16n16k16.C.f32", 90);
  const auto layout = read_dump(Source("dump", dump_of(*fragment)));
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(*fit(*layout).map, fragment->map);
}

TEST(Dump, NamesWhatIsMissing) {
  const auto layout = read_dump(Source("dump", "0 0 0 0\n1 1 0 1\n"));
  ASSERT_FALSE(layout.ok());
  EXPECT_THAT(layout.error().message, ::testing::HasSubstr("(register 1, lane 0) is missing"));
}

TEST(Dump, PointsAtALineItCannotRead) {
  const auto layout = read_dump(Source("dump", "0 0 0 0\nlane 1\n"));
  ASSERT_FALSE(layout.ok());
  EXPECT_EQ(layout.error().at->line, 2);
}

TEST(LaneMachine, StopsAtAnInstructionItDoesNotKnow) {
  const sass::Function function{"f", {sass::read_instruction("FADD R0, R1, R2")}};
  const auto dump = run_tracer(function, 0x160);
  ASSERT_FALSE(dump.ok());
  EXPECT_THAT(dump.error().message, ::testing::HasSubstr("FADD R0, R1, R2"));
}

TEST(LaneMachine, StopsAtMissingOperands) {
  for (const char* line : {"PRMT R6", "LDG.E R6", "IMAD R1, R2", "MOVM.16.MT88 R1", "STG.E"}) {
    EXPECT_FALSE(run_tracer({"f", {sass::read_instruction(line)}}, 0x160).ok()) << line;
  }
}

// Two lanes' worth of what ptxas writes: lane * 8 from the matrix to lane * 4 of the dump.
TEST(LaneMachine, FollowsAddressesToTheDump) {
  std::vector<sass::Instruction> code;
  for (const char* line : {"S2R R0, SR_LANEID", "IMAD.WIDE.U32 R2, R0, 0x8, c[0x0][0x160]",
                           "IMAD.WIDE.U32 R4, R0, 0x4, c[0x0][0x168]", "LDG.E R6, [R2.64+0x10]",
                           "STG.E [R4.64], R6", "EXIT"}) {
    code.push_back(sass::read_instruction(line));
  }
  const auto dump = run_tracer({"f", code}, 0x160);
  ASSERT_TRUE(dump.ok());
  EXPECT_EQ(dump->at(4), 256 + 8 + 16);
  EXPECT_EQ(dump->size(), 128U);
}

TEST(Derive, RefusesWhatTheCompilerDoesNotSpellOut) {
  const FragmentKey mma{Family::kMma, {16, 8, 16}, Operand::kA, Element::kF16};
  EXPECT_EQ(derive_from_compiler({mma}, {}).error().code, "cannot-derive");
}

TEST(Tracer, LoadsAndDumpsEveryRegister) {
  const std::string ptx =
      tracer_ptx({{Family::kWmma, {16, 16, 16}, Operand::kC, Element::kF32, false, 90}});
  EXPECT_THAT(ptx, ::testing::HasSubstr("wmma.load.c.sync.aligned.row.m16n16k16.global.f32"));
  EXPECT_THAT(ptx, ::testing::HasSubstr("st.global.b32 [%d+28], %v7;"));
}

}  // namespace
}  // namespace warpledger::derive
