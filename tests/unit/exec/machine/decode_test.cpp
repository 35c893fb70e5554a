// What nvdisasm prints, decoded.
#include <gtest/gtest.h>

#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

TEST(MachineOperand, RegistersHaveSignsAndSelectors) {
  const auto operand = read_operand("-|R12.H1_H1|", 0, false);
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->kind, OperandKind::kRegister);
  EXPECT_EQ(operand->index, 12);
  EXPECT_TRUE(operand->negated && operand->absolute);
  EXPECT_EQ(read_operand("R4.reuse", 0, false)->index, 4);
  EXPECT_EQ(read_operand("RZ", 0, false)->index, kZeroRegister);
  EXPECT_EQ(read_operand("R7.H0_H0", 0, false)->selector, "H0_H0");
}

TEST(MachineOperand, PredicatesMayBeInverted) {
  const auto operand = read_operand("!UP3", 0, false);
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->kind, OperandKind::kUniformPredicate);
  EXPECT_TRUE(operand->inverted);
  EXPECT_EQ(read_operand("PT", 0, false)->index, kTruePredicate);
}

TEST(MachineOperand, AddressesAreSums) {
  const auto operand = read_operand("[R2.U32+UR4+-0x10]", 0, false);
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->kind, OperandKind::kAddress);
  EXPECT_EQ(operand->base, 2);
  EXPECT_EQ(operand->uniform, 4);
  EXPECT_TRUE(operand->base_is_32);
  EXPECT_EQ(operand->offset, -16);
  EXPECT_EQ(read_operand("[R3.X16+0x8]", 0, false)->scale, 16);
}

TEST(MachineOperand, WhatDescribesTheMemoryDoesNotMatter) {
  const auto operand = read_operand("desc[UR6][R8.64+0x18]", 0, false);
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->kind, OperandKind::kAddress);
  EXPECT_EQ(operand->base, 8);
  EXPECT_TRUE(operand->wide);
  EXPECT_EQ(operand->uniform, kNoRegister);
  EXPECT_EQ(operand->offset, 0x18);
}

TEST(MachineOperand, ImmediatesOf64BitsKeepTheirUpperHalf) {
  const auto large = read_operand("0x3bf921fb54442d19", 0, false);
  EXPECT_EQ(large->immediate, 0x54442d19U);
  EXPECT_EQ(large->upper, 0x3bf921fbU);
  EXPECT_EQ(read_operand("-0x3", 0, false)->upper, ~0U);
}

TEST(BankLayout, KnowsWhatRuns) {
  for (const int architecture : {75, 80, 86, 89, 90, 100, 120}) {
    const BankLayout* layout = find_bank_layout(architecture);
    ASSERT_NE(layout, nullptr) << architecture;
    EXPECT_EQ(layout->architecture, architecture);
    EXPECT_EQ(layout->shared_begin, architecture >= 90 ? 0x400U : 0U);
    EXPECT_GE(layout->parameters, layout->stack + 4);
  }
  EXPECT_EQ(find_bank_layout(70), nullptr);
}

TEST(MachineOperand, ConstantsHaveABankAndMayHaveAnIndex) {
  const auto operand = read_operand("-c[0x3][R2+0x10]", 0, false);
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->bank, 3);
  EXPECT_EQ(operand->base, 2);
  EXPECT_EQ(operand->offset, 0x10);
  EXPECT_TRUE(operand->negated);
}

TEST(MachineOperand, ConstantsOfHalvesArePrintedWithABlank) {
  const auto operand = read_operand("c[0x0] [0x168].H0_H0", 0, true);
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->kind, OperandKind::kConstant);
  EXPECT_EQ(operand->offset, 0x168);
  EXPECT_EQ(operand->selector, "H0_H0");
}

TEST(MachineOperand, BanksThatNobodyFillsAreNone) {
  EXPECT_FALSE(read_operand("c[0x1c][0x0]", 0, false).has_value());
}

TEST(MachineOperand, ImmediatesThatAListingRoundsAreReadFromTheBits) {
  EXPECT_EQ(read_operand("1.00000001504746621988e+30", 0x7149f2ca, true)->immediate, 0x7149f2caU);
  EXPECT_EQ(read_operand("+QNAN", 0x7fc00001, true)->immediate, 0x7fc00001U);
  EXPECT_EQ(read_operand("-0x8", 7, false)->immediate, 0xfffffff8U);
  EXPECT_EQ(read_operand("32@lo(counter)", 0x1234, false)->immediate, 0x1234U);
}

TEST(MachineOperand, AllPredicatesHaveOneName) {
  EXPECT_EQ(read_operand("PR", 0, false)->kind, OperandKind::kNamed);
  EXPECT_EQ(read_operand("UPR", 0, false)->kind, OperandKind::kNamed);
}

TEST(MachineOperand, DescriptorsOfMatricesAreRegistersWithFlags) {
  const auto operand = read_operand("gdesc[UR8].negA.tnspB", 0, false);
  ASSERT_TRUE(operand.has_value());
  EXPECT_EQ(operand->kind, OperandKind::kUniform);
  EXPECT_EQ(operand->index, 8);
  EXPECT_EQ(operand->selector, ".negA.tnspB");
  EXPECT_EQ(read_operand("gsb0", 0, false)->kind, OperandKind::kNamed);
}

TEST(MachineOperand, CellsOfTensorMemoryAreAnAddress) {
  const auto cells = read_operand("tmem[UR4+0x20]", 0, false);
  ASSERT_TRUE(cells.has_value());
  EXPECT_EQ(cells->kind, OperandKind::kAddress);
  EXPECT_EQ(cells->uniform, 4);
  EXPECT_EQ(cells->offset, 0x20);
  const auto descriptor = read_operand("idesc[UR5]", 0, false);
  ASSERT_TRUE(descriptor.has_value());
  EXPECT_EQ(descriptor->kind, OperandKind::kUniform);
  EXPECT_EQ(descriptor->index, 5);
}

TEST(MachineOperand, APolicyOfCachesIsNoAddress) {
  EXPECT_EQ(read_operand("desc[UR4]", 0, false)->kind, OperandKind::kNamed);
}

TEST(MachineOperand, WhatCannotBeReadIsNone) {
  EXPECT_FALSE(read_operand("[R2.X3]", 0, false).has_value());
  EXPECT_FALSE(read_operand("gdesc[R4]", 0, false).has_value());
  EXPECT_FALSE(read_operand("", 0, false).has_value());
}

TEST(MachineTable, KnowsWhatItsOpcodesMayCarry) {
  const Row* row = find_row("IMAD");
  ASSERT_NE(row, nullptr);
  EXPECT_TRUE(row->allows(*find_modifier("WIDE")));
  EXPECT_FALSE(row->allows(*find_modifier("FTZ")));
  EXPECT_EQ(find_row("UTCSHIFT"), nullptr);
  EXPECT_TRUE(find_row("UIADD3")->is_uniform);
}

TEST(MachineTable, AnInstructionThatIsNotOnTheListHasNoRow) {
  sass::Cubin cubin;
  cubin.elf.sections.resize(2);
  cubin.elf.sections[1] = {.name = ".text.k", .size = 32};
  const std::vector<sass::Function> listing = {
      {"k",
       {sass::read_instruction("IADD3 R0, R1, R2, RZ"),
        sass::read_instruction("IADD3.FANCY R0, R1, R2, RZ")}}};
  Listing made;
  const Program program = decode(cubin, listing, 1, {{uint16_t{1}, std::string(32, '\0')}}, made);
  ASSERT_EQ(program.instructions.size(), 2U);
  EXPECT_NE(program.instructions[0].row, nullptr);
  EXPECT_EQ(program.instructions[1].row, nullptr);
}

TEST(MachineTable, ShapesOfProductsAreNumbers) {
  sass::Cubin cubin;
  cubin.elf.sections.resize(2);
  cubin.elf.sections[1] = {.name = ".text.k", .size = 32};
  const std::vector<sass::Function> listing = {
      {"k",
       {sass::read_instruction("HGMMA.64x88x16.F32 R24, gdesc[UR8], RZ, !UPT, gsb0"),
        sass::read_instruction("HGMMA.64x88.F32 R24, gdesc[UR8], RZ, !UPT, gsb0")}}};
  Listing made;
  const Program program = decode(cubin, listing, 1, {{uint16_t{1}, std::string(32, '\0')}}, made);
  ASSERT_EQ(program.instructions.size(), 2U);
  ASSERT_NE(program.instructions[0].row, nullptr);
  EXPECT_EQ(program.instructions[0].shape.n, 88U);
  EXPECT_EQ(program.instructions[0].shape.k, 16U);
  EXPECT_EQ(program.instructions[1].row, nullptr);
}

}  // namespace
}  // namespace warpledger::exec::machine
