#include "warpledger/layout/notation/notation.h"

#include <gmock/gmock.h>

#include "tests/unit/layout/any_map.h"
#include "warpledger/layout/notation/swizzle.h"

namespace warpledger::notation {
namespace {

using warpledger::testing::any_map;

Result<Layout> read_text(const std::string& text, const Reading& reading = {}) {
  return read(Source("layout", text), reading);
}

LAW(Bases, ReadsWhatItPrints) {
  const LinearMap f = any_map(rng);
  const auto again = read_text(print_bases(f));
  ASSERT_TRUE(again.ok()) << print_bases(f);
  EXPECT_EQ(*again->linear(), f);
}

LAW(Formula, ReadsWhatItPrints) {
  const LinearMap f = any_map(rng);
  const auto again = read_text(print_formula(f), {.from = f.from(), .to = f.to()});
  ASSERT_TRUE(again.ok()) << print_formula(f);
  EXPECT_EQ(*require_linear(*again), f) << print_formula(f);
}

LAW(Cute, ReadsWhatItPrints) {
  const Space from({{"lane", 16}, {"register", 4}}), to({{"row", 8}, {"col", 8}});
  std::vector<uint64_t> bases = {1, 2, 4, 8, 16, 32};
  for (size_t b = bases.size(); b-- > 1;) {
    std::swap(bases[b], bases[static_cast<size_t>(rng.between(0, static_cast<int64_t>(b)))]);
  }
  LinearMap f(from, to, bases);
  if (rng.coin()) {
    const LinearMap swizzle = reshape_outputs(reshape_inputs(swizzle_map({2, 0, 3}, 64), to), to);
    f = *compose(swizzle, f);
  }
  const auto text = print_cute(f);
  ASSERT_TRUE(text.has_value());
  const auto again = read_text(*text, {.modes = {"lane", "register"}, .to = to});
  ASSERT_TRUE(again.ok()) << *text;
  EXPECT_EQ(*require_linear(*again), f) << *text;
}

TEST(Formula, WritesTheSeedsEquations) {
  const auto map = read_text(
      "{register: [(0,1),(8,0),(0,8)], lane: [(0,2),(0,4),(1,0),(2,0),(4,0)]} -> (row 16, col 16)");
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(print_formula(*map->linear()),
            "row = lane/4 + 8*((i>>1)&1)\ncol = 2*(lane%4) + i%2 + 8*(i>>2)\n");
}

TEST(Cute, ReadsNestedShapes) {
  const auto layout =
      read_text("((4,8),(2,2)):((32,1),(16,8))",
                {.modes = {"lane", "register"}, .to = Space({{"row", 16}, {"col", 8}})});
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->at({5, 3}), (std::vector<int64_t>{9, 3}));
}

TEST(Cute, KeepsLayoutsThatAreNotLinear) {
  const auto layout = read_text("(6,4):(1,7)");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->linear(), nullptr);
  EXPECT_EQ(layout->at({5, 3}), std::vector<int64_t>{26});
}

TEST(Cute, PointsAtAStrideThatIsNestedDeeper) {
  const auto layout = read_text("((4,8),(32,2)):((512,1),((16,8)))");
  ASSERT_FALSE(layout.ok());
  EXPECT_THAT(layout.error().message, ::testing::HasSubstr("mismatched ranks"));
  EXPECT_EQ(layout.error().at->column, 25);
}

TEST(Notation, RefusesLayoutsTooLargeToHold) {
  const Space lanes({{"lane", 32}});
  EXPECT_FALSE(read_text("0xb:0xb6b1bbbb").ok());
  EXPECT_FALSE(read_text("{lane: [1]} -> (a 1048576, b 1048576, c 1048576, d 1048576)").ok());
  EXPECT_FALSE(read_text("a = 1000000; b = 1000000", {.from = lanes}).ok());
}

TEST(Notation, PrintsAWideStrideSoThatItReadsBack) {
  const Fit found = fit(*read_text("2:22220223"));
  ASSERT_TRUE(found.map);
  const auto again = read_text(notation::print_bases(*found.map));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again->linear(), *found.map);
}

TEST(Notation, PrintsAsManyOutputsAsAFormulaMayHave) {
  const Space lanes({{"lane", 32}});
  const auto layout = read_text("a = lane; b = 0; c = 0; d = 0; e = lane%2", {.from = lanes});
  ASSERT_TRUE(layout.ok());
  const auto again = read_text(notation::print_bases(*fit(*layout).map));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->to(), layout->to());
}

TEST(Notation, RefusesBasesThatGoNowhere) {
  const auto layout = read_text("{register: []}");
  ASSERT_FALSE(layout.ok());
  EXPECT_THAT(layout.error().message, ::testing::HasSubstr("no basis says where it goes"));
}

TEST(Cute, AppliesTheSwizzle) {
  const auto layout = read_text("Swizzle<3,4,3> o (64,8):(1,128)");
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->at({0, 3}), std::vector<int64_t>{3 * 128 + 3 * 16});
}

TEST(Formula, RefusesAnUnknownVariable) {
  const auto layout = read_text("row = line/4", {.from = Space({{"lane", 32}})});
  ASSERT_FALSE(layout.ok());
  EXPECT_EQ(layout.error().code, "bad-layout");
}

TEST(Formula, RefusesADivisionByZero) {
  EXPECT_FALSE(read_text("row = 8/lane", {.from = Space({{"lane", 32}})}).ok());
}

LAW(Swizzle, IsItsOwnInverse) {
  const int bits = static_cast<int>(rng.between(0, 3));
  const int shift = static_cast<int>(rng.between(bits, 4));
  const Swizzle swizzle{bits, static_cast<int>(rng.between(0, 4)), rng.coin() ? shift : -shift};
  const uint64_t x = rng.bits() % 4096;
  EXPECT_EQ(swizzle(swizzle(x)), x);
  EXPECT_EQ(swizzle_map(swizzle, 1 << 16)(x), swizzle(x));
}

}  // namespace
}  // namespace warpledger::notation
