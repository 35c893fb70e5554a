// Floating point against MPFR (10,000 random operand triples a format and rounding) and by hand.
#include "warpledger/exec/numeric/arithmetic.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/support/law.h"
#include "tests/unit/exec/numeric/mpfr_oracle.h"

namespace warpledger::numeric {
namespace {

constexpr Rounding kAll[] = {Rounding::kNearestEven, Rounding::kZero, Rounding::kDown,
                             Rounding::kUp};
constexpr Format kFormats[] = {kF16, kBf16, kF32, kF64};

// Uniform bits seldom meet: half of the operands lie near the first one, or are special.
uint64_t any_bits(testing::Rng& rng, Format format, uint64_t near) {
  const uint64_t all = format.bits() == 64 ? ~uint64_t{0} : (uint64_t{1} << format.bits()) - 1;
  const std::vector<uint64_t> specials = {0,
                                          format.sign_bit(),
                                          infinity(format),
                                          1,
                                          format.fraction_mask(),
                                          format.fraction_mask() + 1,
                                          largest_finite(format)};
  switch (rng.between(0, 5)) {
    case 0:
      return (near ^ format.sign_bit()) & all;
    case 1:
      return (near + static_cast<uint64_t>(rng.between(-3, 3))) & all;
    case 2:
      return rng.pick(specials);
    case 3:
      return (near ^ (rng.bits() & format.fraction_mask())) & all;
    default:
      return rng.bits() & all;
  }
}

// f64 passes payloads on; the oracle does not know them.
void expect_same(Format format, uint64_t ours, uint64_t theirs, const char* what) {
  if (is_nan(format, theirs)) {
    EXPECT_TRUE(is_nan(format, ours)) << what;
  } else {
    EXPECT_EQ(ours, theirs) << what;
  }
}

void check_round(testing::Rng& rng, Format format, Rounding rounding) {
  const uint64_t a = any_bits(rng, format, 0x3c00), b = any_bits(rng, format, a);
  const uint64_t c = any_bits(rng, format, mul(format, a, b));
  SCOPED_TRACE(::testing::Message() << std::hex << a << ' ' << b << ' ' << c << " rounding "
                                    << static_cast<int>(rounding) << " of " << format.bits());
  Operands x(format, a, b, c);
  const Mode mode{.rounding = rounding};
  const auto expect = [&](uint64_t ours, const char* what, auto operation) {
    expect_same(format, ours, rounded(format, rounding, operation), what);
  };
  expect(add(format, a, b, mode), "add",
         [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_add(r, x.a, x.b, rnd); });
  expect(sub(format, a, b, mode), "sub",
         [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_sub(r, x.a, x.b, rnd); });
  expect(mul(format, a, b, mode), "mul",
         [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_mul(r, x.a, x.b, rnd); });
  expect(fma(format, a, b, c, mode), "fma",
         [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_fma(r, x.a, x.b, x.c, rnd); });
  expect(div(format, a, b, mode), "div",
         [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_div(r, x.a, x.b, rnd); });
  expect(sqrt(format, a, mode), "sqrt",
         [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_sqrt(r, x.a, rnd); });
}

LAW(Arithmetic, EqualsMpfrInEveryRounding) {
  for (const Format format : kFormats) {
    for (const Rounding rounding : kAll) {
      for (int i = 0; i < 100; ++i) check_round(rng, format, rounding);
    }
  }
}

TEST(Arithmetic, SquareRootAndReciprocalOfEveryHalf) {
  for (const Format format : {kF16, kBf16}) {
    for (uint64_t a = 0; a < 0x10000; ++a) {
      Operands x(format, a, 0, 0);
      expect_same(format, sqrt(format, a),
                  rounded(format, Rounding::kNearestEven,
                          [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_sqrt(r, x.a, rnd); }),
                  "sqrt");
      expect_same(format, rcp(format, a),
                  rounded(format, Rounding::kNearestEven,
                          [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_ui_div(r, 1, x.a, rnd); }),
                  "rcp");
    }
  }
}

// By hand, from the ISA's text.
TEST(Arithmetic, NanResultsAreCanonicalExceptInF64) {
  EXPECT_EQ(add(kF32, 0x7fc12345, 0x3f800000), 0x7fffffffu);
  EXPECT_EQ(add(kF32, 0x7f800000, 0xff800000), 0x7fffffffu);  // inf - inf
  EXPECT_EQ(mul(kF16, 0x0000, 0x7c00), 0x7fffu);              // 0 * inf
  EXPECT_EQ(fma(kBf16, 0xffc1, 0, 0), 0x7fffu);
  EXPECT_EQ(add(kF64, 0x7ff0000000000123, 0), 0x7ff8000000000123u);  // made quiet, payload kept
  EXPECT_EQ(sqrt(kF64, 0xbff0000000000000), 0xfff8000000000000u);
}

TEST(Arithmetic, FtzFlushesOperandsAndResultsKeepingSigns) {
  EXPECT_EQ(add(kF32, 0x80000001, 0x80000000, {.ftz = true}), 0x80000000u);
  EXPECT_EQ(mul(kF32, 0x00800000, 0x3f000000, {.ftz = true}), 0u);  // 2^-127
  EXPECT_EQ(mul(kF32, 0x80800000, 0x3f000000, {.ftz = true}), 0x80000000u);
  EXPECT_EQ(mul(kF32, 0x00800000, 0x3f000000), 0x00400000u);
  EXPECT_EQ(fma(kF32, 0x007fffff, 0x7f7fffff, 0, {.ftz = true}), 0u);
}

TEST(Arithmetic, SatClampsToTheUnitIntervalAndNanToZero) {
  EXPECT_EQ(add(kF32, 0x3f800000, 0x3f800000, {.sat = true}), 0x3f800000u);
  EXPECT_EQ(add(kF32, 0xbf800000, 0, {.sat = true}), 0u);
  EXPECT_EQ(add(kF32, 0x7fffffff, 0, {.sat = true}), 0u);
  EXPECT_EQ(mul(kF32, 0x80000000, 0x3f800000, {.sat = true}), 0u);  // -0 becomes +0
  EXPECT_EQ(fma(kF16, 0x3c00, 0x3800, 0, {.sat = true}), 0x3800u);
}

TEST(Arithmetic, ReluZeroesNegativesAndKeepsNan) {
  EXPECT_EQ(fma(kF16, 0xbc00, 0x3c00, 0, {.relu = true}), 0u);
  EXPECT_EQ(fma(kF16, 0x7e00, 0x3c00, 0, {.relu = true}), 0x7fffu);
  EXPECT_EQ(fma(kBf16, 0x3f80, 0x3f80, 0x3f80, {.relu = true}), 0x4000u);
}

TEST(Arithmetic, ExactZeroSumsTakeTheSignOfTheRounding) {
  EXPECT_EQ(sub(kF32, 0x3f800000, 0x3f800000), 0u);
  EXPECT_EQ(sub(kF32, 0x3f800000, 0x3f800000, {.rounding = Rounding::kDown}), 0x80000000u);
  EXPECT_EQ(add(kF32, 0x80000000, 0x80000000), 0x80000000u);
}

TEST(Arithmetic, MinAndMaxFollowTheNanAndZeroRules) {
  const uint64_t nan = 0x7fc00000, one = 0x3f800000;
  EXPECT_EQ(min(kF32, nan, one), one);
  EXPECT_EQ(max(kF32, one, nan), one);
  EXPECT_EQ(min(kF32, nan, nan), 0x7fffffffu);
  EXPECT_EQ(max(kF32, one, nan, {.nan = true}), 0x7fffffffu);
  EXPECT_EQ(min(kF32, 0, 0x80000000), 0x80000000u);
  EXPECT_EQ(min(kF32, 0x80000000, 0), 0x80000000u);
  EXPECT_EQ(max(kF32, 0x80000000, 0), 0u);
  EXPECT_EQ(max(kF32, 0x80000001, 0x80000000, {.ftz = true}), 0x80000000u);
  EXPECT_EQ(min(kF32, 0xc0000000, one, {.xorsign_abs = true}), 0xbf800000u);  // min(2,1), -
  EXPECT_EQ(max(kF16, 0xc000, 0xbc00, {.xorsign_abs = true}), 0x4000u);       // max(2,1), +
}

LAW(Arithmetic, ComparesLikeTheHost) {
  for (int i = 0; i < 100; ++i) {
    const auto a = static_cast<uint32_t>(any_bits(rng, kF32, 0)),
               b = static_cast<uint32_t>(any_bits(rng, kF32, a));
    float x = 0, y = 0;
    static_assert(sizeof x == sizeof a);
    memcpy(&x, &a, sizeof a);
    memcpy(&y, &b, sizeof b);
    const Order order = compare(kF32, a, b);
    EXPECT_EQ(order == Order::kLess, x < y);
    EXPECT_EQ(order == Order::kEqual, x == y);
    EXPECT_EQ(order == Order::kGreater, x > y);
  }
}

}  // namespace
}  // namespace warpledger::numeric
