// Which spellings of machine code run.
#include "warpledger/exec/machine/spellings.h"

#include <gtest/gtest.h>

#include "warpledger/exec/machine/bank_layout.h"
#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

constexpr std::string_view kVerified[] = {
#define WL_SPELLING(spelling, architectures) spelling,
#include "warpledger/exec/machine/spellings.def"
#undef WL_SPELLING
};

TEST(Spellings, AreAllInTheTableOfOpcodes) {
  for (std::string_view rest : kVerified) {
    const std::string_view spelling = rest;
    const Row* row = find_row(rest.substr(0, rest.find('.')));
    ASSERT_NE(row, nullptr) << spelling;
    for (size_t dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      rest.remove_prefix(dot + 1);
      const auto modifier = find_modifier(rest.substr(0, rest.find('.')));
      EXPECT_TRUE(modifier && row->allows(*modifier)) << spelling;
    }
  }
}

TEST(Spellings, RunWhereTheFamilyHasRunThem) {
  EXPECT_TRUE(is_verified("DMMA.884", 80));
  EXPECT_TRUE(is_verified("DMMA.884", 89));
  EXPECT_FALSE(is_verified("DMMA.884", 90));
  EXPECT_FALSE(is_verified("DMMA.884", 75));
  EXPECT_TRUE(is_verified("UTCHMMA.2CTA", 100));
  EXPECT_FALSE(is_verified("UTCHMMA.2CTA", 90));
}

TEST(Spellings, DoNotRunWithModifiersThatNobodyHasSeenTogether) {
  EXPECT_TRUE(is_verified("IMAD.WIDE.U32", 86));
  EXPECT_FALSE(is_verified("IMAD.HI.X", 86));
  EXPECT_FALSE(is_verified("IMAD.WID", 86));
}

TEST(Spellings, LoseTheirRowWhereTheyAreNotVerified) {
  Program program;
  for (const char* text : {"MOV R1 R2", "UTMALDG.3D.IM2COL [UR4] [UR8]"})
    program.instructions.push_back({.row = find_row("MOV"), .text = text});
  refuse_unverified(program, 90);
  EXPECT_NE(program.instructions[0].row, nullptr);
  EXPECT_EQ(program.instructions[1].row, nullptr);
}

TEST(KnownArchitectures, AreNamedInOneSentence) {
  const std::string all = known_architectures();
  EXPECT_NE(all.find("sm_80, sm_86"), std::string::npos);
  EXPECT_NE(all.find(" and sm_"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::exec::machine
