#include "warpledger/sass/witness/witness.h"

#include "tests/unit/sass/any_code.h"

namespace warpledger::sass {
namespace {

using Classes = std::vector<AccessClass>;

Classes classes_of(const KernelWitness& kernel) {
  Classes classes;
  for (const SassAccess& access : kernel.accesses) classes.push_back(access.access_class);
  return classes;
}
std::vector<FateKind> fates_of(const KernelWitness& kernel) {
  std::vector<FateKind> kinds;
  for (const Fate& fate : kernel.fates) kinds.push_back(fate.kind);
  return kinds;
}

TEST(Classes, APredicateThatIsNeverTrueIsAFiller) {
  const auto kernel = witness_of("st.shared.f32 [tile], %f1;\n",
                                 {{"@!PT LDS RZ, [RZ]", kBody}, {"STS [UR4], R0", kBody}});
  EXPECT_EQ(classes_of(kernel), (Classes{AccessClass::kFiller, AccessClass::kKept}));
}

TEST(Classes, LocalCodeWithoutLocalPtxIsASpill) {
  const auto kernel = witness_of(
      "add.f32 %f1, %f2, %f3;\n",
      {{"STL.64 [R1], R2", kBody}, {"LDL R2, [R1]", kBody}, {"STL [R1+0x8], R4", kBrace}});
  EXPECT_EQ(classes_of(kernel), Classes(3, AccessClass::kSpill));
  EXPECT_EQ(kernel.functions[0].spill_store_bytes, 12U);
  EXPECT_EQ(kernel.functions[0].spill_load_bytes, 4U);
}

TEST(Classes, AnAtomicWhoseResultNobodyReadsIsKeptAsReduction) {
  const auto kernel = witness_of("atom.global.add.u32 %r1, [%d1], 1;\n",
                                 {{"RED.E.ADD.STRONG.GPU [R2.64], R5", kBody}});
  EXPECT_EQ(classes_of(kernel), Classes{AccessClass::kKept});
}

TEST(Classes, LoadsOfAnotherSpaceDoNotFit) {
  const auto kernel = witness_of("ld.global.f32 %f1, [%d1];\n", {{"LDS R2, [R4]", kBody}});
  EXPECT_EQ(classes_of(kernel), Classes{AccessClass::kMismapped});
}

TEST(Classes, StoresThatMeetBehindABranchAreSunk) {
  const auto kernel = witness_of(
      "@%p1 bra $other;\nst.global.f32 [%d1], %f1;\nbra $join;\n$other:\n"
      "st.global.f32 [%d1], %f2;\n$join:\nadd.f32 %f3, %f1, %f2;\n",
      {{"FSEL R0, R1, R2, P0", kBody}, {"STG.E [R2.64], R0", kBody + 6}});
  EXPECT_EQ(classes_of(kernel), Classes{AccessClass::kSunk});
  EXPECT_EQ(kernel.accesses[0].members, (std::vector<uint32_t>{1, 3}));
  EXPECT_EQ(fates_of(kernel), std::vector<FateKind>(2, FateKind::kSunk));
}

TEST(Classes, AFenceMayHoldLoadsOfItsOwn) {
  const auto kernel = witness_of("cp.async.wait_all;\n", {{"LDS R0, [R2]", kBody}});
  EXPECT_EQ(classes_of(kernel), Classes{AccessClass::kExpansion});
}

TEST(Classes, AnUnknownMemoryOpcodeIsReported) {
  const auto kernel = witness_of("ld.global.f32 %f1, [%d1];\n",
                                 {{"LDNEW R0, [R2]", kBody}, {"LDC R1, c[0x0][0x4]", kBody}});
  EXPECT_EQ(kernel.unknown_opcodes, std::vector<uint32_t>{0});
}

TEST(Classes, AWholeSectionOfADeviceFunctionSavesItsCallersRegisters) {
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .func f()\n{\n.reg .f32 %f<3>;\n"
      "add.f32 %f1, %f2, %f2;\nret;\n}\n";
  const auto told = witness(any_code(ptx, "f",
                                     {{"STL [R1], R16", 5},
                                      {"STL [R1+0x4], R17", 7},
                                      {"LDL R17, [R1+0x4]", 7},
                                      {"LDL R16, [R1]", 7},
                                      {"RET.REL.NODEC R20", 8}},
                                     false));
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(classes_of(told->kernels[0]), (Classes{AccessClass::kCalleeSave, AccessClass::kSpill,
                                                   AccessClass::kSpill, AccessClass::kCalleeSave}));
}

constexpr const char* kFourLoads =
    "ld.shared.f32 %f1, [tile+16];\nld.shared.f32 %f2, [tile+24];\n"
    "ld.shared.f32 %f3, [tile+20];\nld.shared.f32 %f4, [tile+28];\n";

TEST(Merge, AWideLoadCoversItsNeighborsByteByByte) {
  const auto kernel = witness_of(kFourLoads, {{"LDS.128 R4, [UR4+0x10]", kBody}});
  ASSERT_EQ(kernel.accesses.size(), 1U);
  EXPECT_EQ(kernel.accesses[0].merge, MergeRule::kSameBlock);
  EXPECT_EQ(kernel.accesses[0].members, (std::vector<uint32_t>{0, 2, 1, 3}));
  EXPECT_EQ(fates_of(kernel), (std::vector<FateKind>{FateKind::kWidened, FateKind::kMerged,
                                                     FateKind::kMerged, FateKind::kMerged}));
}

TEST(Merge, TwoHalvesEachTakeTheirOwn) {
  const auto kernel = witness_of(
      kFourLoads, {{"LDS.64 R4, [UR4+0x10]", kBody}, {"LDS.64 R6, [UR4+0x18]", kBody + 1}});
  EXPECT_EQ(kernel.accesses[0].members, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(kernel.accesses[1].members, (std::vector<uint32_t>{1, 3}));
}

TEST(Merge, AMergedStoreStandsAtItsLastMember) {
  const auto kernel = witness_of(
      "st.global.f32 [%d1+4], %f1;\nst.global.f32 [%d1], %f2;\n"
      "st.global.f32 [%d1+8], %f2;\n",
      {{"STG.E.64 [R2.64], R4", kBody + 1}, {"STG.E [R2.64+0x8], R4", kBody + 2}});
  EXPECT_EQ(kernel.accesses[0].members, (std::vector<uint32_t>{1, 0}));
}

TEST(Merge, NeighborsMayLieInAnotherBlock) {
  const auto kernel =
      witness_of("ld.global.f32 %f1, [%d1];\n@%p1 bra $end;\nld.global.f32 %f2, [%d1+4];\n$end:\n",
                 {{"LDG.E.64 R4, [R2.64]", kBody}});
  EXPECT_EQ(kernel.accesses[0].merge, MergeRule::kAcrossBlocks);
}

TEST(Merge, AHoleIsReadForNothing) {
  const auto kernel = witness_of(
      "ld.shared.f32 %f1, [tile];\nld.shared.f32 %f2, [tile+4];\n"
      "ld.shared.f32 %f3, [tile+8];\n",
      {{"LDS.128 R4, [UR4]", kBody}});
  EXPECT_EQ(kernel.accesses[0].merge, MergeRule::kWithHole);
  EXPECT_EQ(kernel.accesses[0].members, (std::vector<uint32_t>{0, 1, 2}));
}

TEST(Merge, AStoreWithAHoleStaysUnexplained) {
  const auto kernel = witness_of("st.global.f32 [%d1], %f1;\n", {{"STG.E.64 [R2.64], R4", kBody}});
  EXPECT_EQ(kernel.accesses[0].merge, MergeRule::kUnexplained);
}

TEST(Merge, AddressesAreFollowedThroughArithmetic) {
  const auto kernel = witness_of(
      "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 4;\nmov.u32 %r3, tile;\nadd.s32 %r4, %r3, %r2;\n"
      "or.b32 %r5, %r2, 4;\nadd.s32 %r6, %r5, %r3;\nld.shared.f32 %f1, [%r4];\n"
      "ld.shared.f32 %f2, [%r6];\n",
      {{"LDS.64 R4, [R2]", kBody + 6}});
  EXPECT_EQ(kernel.accesses[0].merge, MergeRule::kSameBlock);
}

TEST(Fates, CopiesOfOneInstructionAreDuplicates) {
  const auto kernel = witness_of("ld.global.f32 %f1, [%d1];\n",
                                 {{"LDG.E R4, [R2.64]", kBody}, {"LDG.E R5, [R2.64+0x4]", kBody}});
  EXPECT_EQ(fates_of(kernel), std::vector<FateKind>{FateKind::kDuplicated});
}

TEST(Fates, ADroppedAccessSaysWhy) {
  const auto kernel = witness_of(
      "st.shared.f32 [tile], %f1;\nld.shared.f32 %f2, [tile];\nld.global.f32 %f3, [%d1];\n"
      "ld.global.f32 %f4, [%d2];\nadd.f32 %f5, %f4, %f2;\n",
      {{"STS [UR4], R2", kBody}, {"FADD R2, R3, R4", kBody + 4}});
  ASSERT_EQ(kernel.fates.size(), 4U);
  EXPECT_EQ(kernel.fates[1].reason, DropReason::kSameAddress);
  EXPECT_EQ(kernel.fates[2].reason, DropReason::kUnusedValue);
  EXPECT_EQ(kernel.fates[3].reason, DropReason::kUnexplained);
}

TEST(Fates, WhatTheLoadStoreUnitDoesNotDoIsListedAndNotJudged) {
  const auto kernel =
      witness_of("mbarrier.inval.shared.b64 [tile];\n", {{"SYNCS R2, [UR4]", kBody}});
  EXPECT_EQ(fates_of(kernel), std::vector<FateKind>{FateKind::kElsewhere});
}

TEST(Witness, NeedsTheTableOfPtxLines) {
  Assembly assembly = any_code(kernel_of(""), "k", {{"EXIT", kBody}});
  assembly.binary.cubin.has_ptx_lines = false;
  EXPECT_EQ(witness(assembly).error().code, "no-ptx-lines");
}

}  // namespace
}  // namespace warpledger::sass
