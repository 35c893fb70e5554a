#include "warpledger/base/diagnostic.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "warpledger/base/source.h"

namespace warpledger {
namespace {

std::string any_word(testing::Rng& rng) {
  std::string word;
  for (int64_t n = rng.between(0, rng.size() / 10); n > 0; --n) {
    word += static_cast<char>(rng.between('a', 'd'));
  }
  return word;
}

LAW(EditDistance, IsSymmetric) {
  const std::string a = any_word(rng), b = any_word(rng);
  EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
}

LAW(EditDistance, IsZeroOnlyForEqualWords) {
  const std::string a = any_word(rng), b = any_word(rng);
  EXPECT_EQ(edit_distance(a, b) == 0, a == b) << a << " " << b;
}

TEST(EditDistance, CountsASwapOfNeighborsOnce) { EXPECT_EQ(edit_distance("gpus", "gpsu"), 1); }

TEST(DidYouMean, NamesTheNearest) {
  EXPECT_EQ(did_you_mean("rtx309", {"rtx3080", "rtx3090", "a100"}), "did you mean 'rtx3090'?");
}

TEST(DidYouMean, StaysSilentWhenNothingIsNear) { EXPECT_EQ(did_you_mean("zzz", {"rtx3090"}), ""); }

TEST(Diagnostic, PointsAtThePlaceWithACaret) {
  const Source source("k.ptx", "first\n\tmov.u32 %r1;\n");
  const Diagnostic d{.message = "no such opcode",
                     .hint = "see the table",
                     .code = "unknown-opcode",
                     .at = source.locate({7, 14})};
  EXPECT_EQ(to_text(d),
            "k.ptx:2:2: error: no such opcode [unknown-opcode]\n"
            "    \tmov.u32 %r1;\n"
            "    \t^~~~~~~\n"
            "hint: see the table\n");
}

TEST(Diagnostic, StopsAfterTwentyFaults) {
  Diagnostic d{.message = "one"};
  for (int i = 0; i < 30; ++i) d.also.push_back({.message = "more"});
  EXPECT_TRUE(to_text(d).ends_with("[11 more errors]\n")) << to_text(d);
}

TEST(Source, LocatesTheEndOfTheText) {
  const Source source("x", "ab\n");
  const Location at = source.locate({3, 3});
  EXPECT_EQ(at.line, 2);
  EXPECT_EQ(at.column, 1);
  EXPECT_EQ(at.line_text, "");
}

}  // namespace
}  // namespace warpledger
