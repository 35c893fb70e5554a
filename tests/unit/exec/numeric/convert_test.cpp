// Conversions against MPFR, the host's integers, and by hand.
#include "warpledger/exec/numeric/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/law.h"
#include "tests/unit/exec/numeric/mpfr_oracle.h"

namespace warpledger::numeric {
namespace {

constexpr Rounding kAll[] = {Rounding::kNearestEven, Rounding::kZero, Rounding::kDown,
                             Rounding::kUp};
constexpr Format kIeee[] = {kF16, kBf16, kTf32, kF32, kF64, kE5m2};

uint64_t random_f64(testing::Rng& rng) {  // spread over the exponents of small formats
  if (rng.between(0, 20) == 0) return rng.bits();
  return from_integer(kF64, {64, true}, rng.bits()) +
         (static_cast<uint64_t>(rng.between(-230, 80)) << 52);
}

LAW(Convert, BetweenFormatsEqualsMpfr) {
  for (int i = 0; i < 100; ++i) {
    const uint64_t a = random_f64(rng);
    if (is_nan(kF64, a)) continue;
    for (const Format to : kIeee) {
      for (const Rounding rounding : kAll) {
        Operands x(kF64, a, 0, 0);
        EXPECT_EQ(
            convert(to, kF64, a, {.round = {.rounding = rounding}}),
            rounded(to, rounding, [&](mpfr_t r, mpfr_rnd_t rnd) { return mpfr_set(r, x.a, rnd); }))
            << std::hex << a << " to " << std::dec << to.bits();
      }
    }
  }
}

TEST(Convert, EveryHalfSurvivesTheWayToF32AndBack) {
  for (const Format format : {kF16, kBf16}) {
    for (uint64_t a = 0; a < 0x10000; ++a) {
      const uint64_t back = convert(format, kF32, convert(kF32, format, a));
      EXPECT_EQ(back, is_nan(format, a) ? canonical_nan(format) : a);
    }
  }
}

TEST(Convert, EveryHalfToF32IsItsValue) {
  for (uint64_t a = 0; a < 0x10000; ++a) {
    const auto bits = static_cast<uint32_t>(convert(kF32, kF16, a));
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    const int code = static_cast<int>(a >> 10) & 31, fraction = static_cast<int>(a & 1023);
    if (code == 31) continue;
    const double expected =
        std::ldexp(code == 0 ? fraction : fraction + 1024, (code == 0 ? 1 : code) - 25);
    EXPECT_EQ(value, static_cast<float>((a & 0x8000) != 0 ? -expected : expected));
  }
}

// The narrow formats have at most 256 codes: the nearest is found by looking at all of them.
uint64_t nearest_code(Format format, double value) {
  uint64_t best = 0;
  double distance = INFINITY;
  for (uint64_t code = 0; code <= largest_finite(format); ++code) {
    const uint64_t bits = convert(kF64, format, code);
    double candidate = 0;
    memcpy(&candidate, &bits, sizeof bits);
    const double here = std::abs(candidate - std::abs(value));
    if (here < distance || (here == distance && (code & 1) == 0)) best = code, distance = here;
  }
  return best | (std::signbit(value) ? format.sign_bit() : 0);
}

LAW(Convert, NarrowFormatsTakeTheNearestCode) {
  for (const Format format : {kE4m3, kE5m2, kE2m1, kE2m3, kE3m2}) {
    for (int i = 0; i < 20; ++i) {
      const double value = std::ldexp(static_cast<double>(rng.between(-4096, 4096)),
                                      static_cast<int>(rng.between(-24, 6)));
      uint64_t bits = 0;
      memcpy(&bits, &value, sizeof bits);
      EXPECT_EQ(convert(format, kF64, bits, {.round = {.satfinite = true}}),
                nearest_code(format, value))
          << value;
    }
  }
}

TEST(Convert, NarrowFormatsByHand) {
  const Conversion satfinite{.round = {.satfinite = true}};
  EXPECT_EQ(convert(kE4m3, kF32, 0x43e00000, satfinite), 0x7eu);  // 448, the largest
  EXPECT_EQ(convert(kE4m3, kF32, 0x7f800000, satfinite), 0x7eu);
  EXPECT_EQ(convert(kE4m3, kF32, 0x7fffffff, satfinite), 0x7fu);  // NaN stays
  EXPECT_EQ(convert(kE5m2, kF32, 0x7f800000, satfinite), 0x7bu);
  EXPECT_EQ(convert(kE5m2, kF32, 0x7f800000), 0x7cu);
  EXPECT_EQ(convert(kE2m1, kF32, 0x42c80000, satfinite), 0x7u);   // 100 -> 6
  EXPECT_EQ(convert(kE2m1, kF32, 0x7fffffff, satfinite), 0x7u);   // NaN -> largest
  EXPECT_EQ(convert(kE3m2, kF32, 0xc1e00000, satfinite), 0x3fu);  // -28
  EXPECT_EQ(convert(kF16, kE4m3, 0x01), 0x1800u);                 // 2^-9
  EXPECT_EQ(to_ue8m0(0x3f800001, Rounding::kUp, true), 128u);
  EXPECT_EQ(to_ue8m0(0x3f800001, Rounding::kZero, true), 127u);
  EXPECT_EQ(to_ue8m0(0x7f800000, Rounding::kZero, true), 0xfeu);
  EXPECT_EQ(from_ue8m0_to_bf16(127), 0x3f80u);
  EXPECT_EQ(from_ue8m0_to_bf16(0), 0x0040u);  // 2^-127 is subnormal in bf16
}

TEST(Convert, Tf32KeepsTenFractionBits) {
  EXPECT_EQ(to_tf32(0x3f801000, {.round = {.rounding = Rounding::kNearestAway}}),
            0x3f802000u);  // tie
  EXPECT_EQ(to_tf32(0x3f801000, {}), 0x3f800000u);
  EXPECT_EQ(to_tf32(0x3f801fff, {.round = {.rounding = Rounding::kZero}}), 0x3f800000u);
  EXPECT_EQ(to_tf32(0xbf801000, {.round = {.rounding = Rounding::kNearestAway}}), 0xbf802000u);
}

TEST(Convert, StochasticRoundingAddsTheRandomBits) {
  const auto with = [](uint32_t random) {  // 1 + 3/4 of a last place of bf16
    return convert(
        kBf16, kF32, 0x3f80c000,
        {.round = {.rounding = Rounding::kStochastic, .random = random, .random_bits = 16}});
  };
  EXPECT_EQ(with(0), 0x3f80u);
  EXPECT_EQ(with(0x3fff), 0x3f80u);
  EXPECT_EQ(with(0x4000), 0x3f81u);
}

TEST(Convert, FloatToIntegerClampsAndTreatsNanAsTheIsaSays) {
  const Integer s32{32, true}, u32{32, false}, s64{64, true}, u64{64, false}, u8{8, false};
  const auto to = [](Integer type, uint64_t f32) {
    return to_integer(type, kF32, f32, Rounding::kZero);
  };
  EXPECT_EQ(to(s32, 0x7fffffff), 0u);
  EXPECT_EQ(to(s64, 0x7fffffff), uint64_t{1} << 63);
  EXPECT_EQ(to(u64, 0x7fffffff), uint64_t{1} << 63);
  EXPECT_EQ(to_integer(s32, kF64, 0x7ff8000000000000, Rounding::kZero), 0x80000000u);
  EXPECT_EQ(to(s32, 0x7f800000), 0x7fffffffu);
  EXPECT_EQ(static_cast<uint32_t>(to(s32, 0xff800000)), 0x80000000u);
  EXPECT_EQ(to(u32, 0xbf800000), 0u);
  EXPECT_EQ(to(u8, 0x44800000), 255u);                                       // 1024
  EXPECT_EQ(to_integer(s32, kF32, 0x40200000, Rounding::kNearestEven), 2u);  // 2.5
  EXPECT_EQ(to_integer(s32, kF32, 0x40200000, Rounding::kUp), 3u);
  EXPECT_EQ(static_cast<int32_t>(to_integer(s32, kF32, 0xc0200000, Rounding::kDown)), -3);
}

LAW(Convert, IntegersToFloatEqualTheHost) {
  for (int i = 0; i < 100; ++i) {
    const uint64_t a = rng.bits() >> rng.between(0, 63);
    const auto f = static_cast<float>(static_cast<int64_t>(a));
    const auto d = static_cast<double>(a);
    uint32_t f_bits = 0;
    uint64_t d_bits = 0;
    memcpy(&f_bits, &f, sizeof f);
    memcpy(&d_bits, &d, sizeof d);
    EXPECT_EQ(from_integer(kF32, {64, true}, a), f_bits);
    EXPECT_EQ(from_integer(kF64, {64, false}, a), d_bits);
  }
}

LAW(Convert, RoundToIntegralEqualsTheHost) {
  for (int i = 0; i < 100; ++i) {
    const auto bits =
        static_cast<uint32_t>(rng.between(0x3e000000, 0x4c000000) | (rng.bits() & 0x80000000));
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    const auto expect = [&](Rounding rounding, float expected) {
      uint32_t e = 0;
      memcpy(&e, &expected, sizeof e);
      EXPECT_EQ(round_to_integral(kF32, bits, rounding), e) << value;
    };
    expect(Rounding::kNearestEven, std::nearbyint(value));
    expect(Rounding::kZero, std::trunc(value));
    expect(Rounding::kDown, std::floor(value));
    expect(Rounding::kUp, std::ceil(value));
  }
}

LAW(Convert, IntegerNarrowingWrapsOrClamps) {
  const int widths[] = {8, 16, 32, 64};
  const uint64_t a = rng.bits();
  for (const int bits : widths) {
    EXPECT_EQ(convert_integer({bits, false}, {64, true}, a, false),
              bits == 64 ? a : a % (uint64_t{1} << bits));
  }
  EXPECT_EQ(static_cast<int64_t>(convert_integer({8, true}, {32, true}, 200, true)), 127);
  EXPECT_EQ(static_cast<int64_t>(convert_integer({8, true}, {32, true}, 0xffffff00, true)), -128);
  EXPECT_EQ(convert_integer({8, false}, {32, true}, 0xffffffff, true), 0u);
  EXPECT_EQ(convert_integer({16, false}, {8, true}, 0x80, false), 0xff80u);
}

}  // namespace
}  // namespace warpledger::numeric
