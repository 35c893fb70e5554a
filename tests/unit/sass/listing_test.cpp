#include <gtest/gtest.h>

#include "warpledger/sass/code.h"

namespace warpledger::sass {
namespace {

constexpr const char* kJson = R"([{"SM":{}},[{"function-name":"k","start":0,"length":48,
"sass-instructions":[
 {"predicate":"@!P0","opcode":"BRA","operands":"P1,0x20","other-attributes":{"control-flow":"True"}},
 {"opcode":"LDL","operands":"R20[R1+0x14]"},
 {"opcode":"LDG.E","operands":"R2,desc[UR4][R2.64+0x10]"}]},
{"function-name":"$sub","start":48,"length":16,"sass-instructions":[{"opcode":"EXIT"}]}]])";

TEST(JsonListing, HasAddressesAndBranchTargets) {
  const auto functions = read_json_listing(kJson);
  ASSERT_TRUE(functions.ok());
  ASSERT_EQ(functions->size(), 2U);
  EXPECT_EQ((*functions)[0].instructions[0].target, 0x20U);
  EXPECT_EQ((*functions)[0].instructions[2].address, 32U);
  EXPECT_EQ((*functions)[1].instructions[0].address, 48U);
}

TEST(JsonListing, SeparatesTheOperandsThatNvdisasmRunsTogether) {
  const auto functions = read_json_listing(kJson);
  ASSERT_TRUE(functions.ok());
  const auto& code = (*functions)[0].instructions;
  EXPECT_EQ(code[1].operands, (std::vector<std::string>{"R20", "[R1+0x14]"}));
  EXPECT_EQ(code[2].operands, (std::vector<std::string>{"R2", "desc[UR4][R2.64+0x10]"}));
}

TEST(JsonListing, RefusesOtherJson) {
  for (const char* text : {"", "{}", "[1,2]", "[{},[]]", "[{},[{}]]", "[{},[5]]",
                           R"([{},[{"start":-1,"sass-instructions":[]}]])",
                           R"([{},[{"start":0,"sass-instructions":[3]}]])"})
    EXPECT_FALSE(read_json_listing(text).ok()) << text;
}

TEST(Listing, ResolvesLabelsToAddresses) {
  const auto functions = read_listing(
      ".text.k:\n"
      "        /*0000*/               @P0 BRA `(.L_x_1) ;\n"
      ".L_x_0:\n.L_x_1:\n"
      "        /*0010*/                   BRA `(.L_x_0);\n"
      ".text.other:\n"
      "        /*0000*/                   BRA `(.L_x_0);\n");
  ASSERT_TRUE(functions.ok());
  EXPECT_EQ((*functions)[0].instructions[0].target, 0x10U);
  EXPECT_EQ((*functions)[0].instructions[1].target, 0x10U);
  EXPECT_FALSE((*functions)[1].instructions[0].target);
}

TEST(Control, IsReadFromTheUpperHalf) {
  // As in `LDG.E R91, [R32.64]` that stalls 1, sets scoreboard 5, and frees scoreboard 0 when its
  // address has been read; it waits for scoreboards 1 and 2.
  const uint64_t upper =
      uint64_t{1} << 41 | uint64_t{5} << 46 | uint64_t{0} << 49 | uint64_t{6} << 52;
  EXPECT_EQ(read_control(upper), (Control{.stall = 1, .sets = 5, .reads = 0, .waits = 6}));
  const uint64_t none = uint64_t{4} << 41 | uint64_t{7} << 46 | uint64_t{7} << 49;
  EXPECT_EQ(read_control(none), (Control{.stall = 4}));
  // FFMA R1, R2.reuse, R3, R4.reuse that does not yield: bits 122 and 124, bit 109.
  const uint64_t kept = none | uint64_t{1} << 45 | uint64_t{5} << 58;
  EXPECT_EQ(read_control(kept), (Control{.stall = 4, .reuse = 5, .keeps = true}));
}

TEST(Listing, ReadsPredicatesModifiersAndBracketedOperands) {
  const auto functions = read_listing(
      "\t.section .text.k\n.text.k:\n"
      "        /*0000*/              @!P0 LDG.E.64 R2, desc[UR4][R2.64+0x10] ;  /* 0x0 */\n"
      "        /*0010*/                   MOV R1, c[0x0][0x28] ;\n.text.other:\n");
  ASSERT_TRUE(functions.ok());
  ASSERT_EQ(functions->size(), 2U);
  const Instruction& load = (*functions)[0].instructions[0];
  EXPECT_EQ(load.predicate, "@!P0");
  EXPECT_EQ(load.base(), "LDG");
  EXPECT_TRUE(load.has("64"));
  EXPECT_FALSE(load.has("6"));
  EXPECT_EQ(load.operands, (std::vector<std::string>{"R2", "desc[UR4][R2.64+0x10]"}));
  EXPECT_EQ((*functions)[0].instructions[1].operands[1], "c[0x0][0x28]");
}

TEST(Listing, RefusesTextWithoutCode) { EXPECT_FALSE(read_listing("hello\n").ok()); }

TEST(GroupWait, IsReadFromDepbar) {
  EXPECT_EQ(group_wait_of(read_instruction("DEPBAR.LE SB0, 0x1")), (GroupWait{0, 1}));
  EXPECT_FALSE(group_wait_of(read_instruction("LDGDEPBAR")).has_value());
  EXPECT_FALSE(group_wait_of(read_instruction("DEPBAR.LE SB0, R3")).has_value());
}

}  // namespace
}  // namespace warpledger::sass
