#include "warpledger/ptx/spelling.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "tests/support/source.h"

namespace warpledger::ptx {
namespace {

Spelling decoded(std::string_view text) {
  SpellingFault fault;
  const auto spelling = decode_spelling(text, fault);
  EXPECT_TRUE(spelling.has_value()) << text << ": " << fault.message;
  return spelling.value_or(Spelling{"", forms().data()});
}

std::string fault_of(std::string_view text) {
  SpellingFault fault;
  EXPECT_FALSE(decode_spelling(text, fault).has_value()) << text;
  return fault.message + " [" +
         std::string(text.substr(fault.where.begin, fault.where.end - fault.where.begin)) + "]";
}

TEST(Spelling, EverySpellingOfTheCensusDecodes) {
  std::ifstream list(test::source_path("tests/inputs/ptx-spellings.txt"));
  int count = 0;
  for (std::string line; std::getline(list, line); ++count) decoded(line);
  EXPECT_EQ(count, 270);
}

TEST(Spelling, ModifiersLandInTheirSlots) {
  const Spelling ld = decoded("ld.relaxed.gpu.global.L1::no_allocate.v4.f32");
  EXPECT_EQ(ld.op(), Op::kLd);
  EXPECT_EQ(ld.get(Slot::kOrder), Modifier::kRelaxed);
  EXPECT_EQ(ld.get(Slot::kScope), Modifier::kGpu);
  EXPECT_EQ(ld.space(), Space::kGlobal);
  EXPECT_EQ(ld.vector, 4);
  EXPECT_EQ(ld.type(), Type::kF32);
  EXPECT_EQ(ld.get(Slot::kCache), Modifier::kNone);
}

TEST(Spelling, OneWordMeansWhatItsPlaceSays) {
  EXPECT_EQ(decoded("setp.eq.and.s32").get(Slot::kBool), Modifier::kAnd);
  EXPECT_EQ(decoded("atom.global.and.b32").get(Slot::kOperation), Modifier::kAnd);
  EXPECT_EQ(decoded("setp.lo.u32").get(Slot::kCompare), Modifier::kLo);
  EXPECT_EQ(decoded("mul.lo.u32").get(Slot::kHalf), Modifier::kLo);
}

TEST(Spelling, AnyOrderOfModifiersMeansTheSame) {
  for (const char* text : {"atom.add.relaxed.gpu.global.u32", "atom.global.add.gpu.relaxed.u32"}) {
    const Spelling atom = decoded(text);
    EXPECT_EQ(atom.get(Slot::kOperation), Modifier::kAdd);
    EXPECT_EQ(atom.get(Slot::kScope), Modifier::kGpu);
    EXPECT_EQ(atom.get(Slot::kOrder), Modifier::kRelaxed);
  }
}

TEST(Spelling, TwoSpacesKeepTheirOrder) {
  const Spelling load =
      decoded("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes");
  EXPECT_EQ(load.space(0), Space::kSharedCluster);
  EXPECT_EQ(load.space(1), Space::kGlobal);
  fault_of("cp.async.bulk.global.shared::cluster.mbarrier::complete_tx::bytes");
}

TEST(Spelling, ShapesAreNumbers) {
  EXPECT_EQ(decoded("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").shape,
            (MatrixShape{16, 8, 16}));
  EXPECT_EQ(decoded("wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16").shape,
            (MatrixShape{64, 192, 16}));
  fault_of("wgmma.mma_async.sync.aligned.m64n100k16.f32.bf16.bf16");
}

TEST(Spelling, TheWrongWordIsNamed) {
  EXPECT_EQ(fault_of("ad.s32"), "unknown opcode 'ad' [ad]");
  EXPECT_EQ(fault_of("add.fzt.f32"), "'add' does not take '.fzt' here [fzt]");
  EXPECT_EQ(fault_of("add.sat.u32"), "'add' does not take '.u32' here [u32]");
  EXPECT_EQ(fault_of("cvt.f32.s32"), "'cvt.f32.s32' is not complete [cvt.f32.s32]");
  EXPECT_EQ(fault_of("ld.global"), "'ld.global' is not complete: a type is missing [ld.global]");
}

TEST(Spelling, WordsRaiseTheFirstVersionAndArchitecture) {
  EXPECT_EQ(since(decoded("ld.global.u32")).sm, 0);
  EXPECT_EQ(since(decoded("ld.global.L2::cache_hint.u32")).sm, 80);
  EXPECT_EQ(since(decoded("wgmma.fence.sync.aligned")).sm, kArchSpecific + 90);
}

// A row that an earlier row shadows completely would never be chosen.
TEST(OpcodeTable, EveryFormCanBeReached) {
  std::set<const Form*> reached;
  for (const Form& form : forms()) {
    std::string text(form.base);
    for (const PatternElement& e : form.elements) {
      if (e.optional) continue;
      const std::string word(e.types.empty() ? to_text(e.modifiers.back())
                                             : to_text(e.types.back()));
      text +=
          "." + (word.find('N') != std::string::npos && word[0] == 'm' ? "m64n64" + word.substr(5)
                                                                       : word);
    }
    const Spelling spelling = decoded(text);
    EXPECT_EQ(spelling.op(), form.row->op) << text;
  }
}

}  // namespace
}  // namespace warpledger::ptx
