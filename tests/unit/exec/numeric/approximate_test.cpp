// The approximate functions against MPFR within PTX's stated error, and its special-value tables.
#include "warpledger/exec/numeric/approximate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/support/law.h"
#include "tests/unit/exec/numeric/mpfr_oracle.h"

namespace warpledger::numeric {
namespace {

using Function = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

float as_float(uint32_t bits) {
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

double exact(Function function, Format format, uint64_t a) {
  mpfr_t x, y;
  mpfr_inits2(120, x, y, nullptr);
  set_bits(x, format, a);
  function(y, x, MPFR_RNDN);
  const double value = mpfr_get_d(y, MPFR_RNDN);
  mpfr_clears(x, y, nullptr);
  return value;
}

double relative_error(Function function, uint32_t a, uint32_t result) {
  const double truth = exact(function, kF32, a);
  return std::abs((static_cast<double>(as_float(result)) - truth) / truth);
}

uint32_t random_float(testing::Rng& rng, double low_exponent, double high_exponent) {
  const auto code = static_cast<uint32_t>(rng.between(static_cast<int64_t>(low_exponent) + 127,
                                                      static_cast<int64_t>(high_exponent) + 127));
  return code << 23 | (static_cast<uint32_t>(rng.bits()) & 0x7fffff);
}

LAW_ROUNDS(Approximate, StaysWithinTheStatedErrors, 10000) {
  const uint32_t a = random_float(rng, -126, 127);
  const double last_place = std::ldexp(1, -23);
  EXPECT_LE(relative_error(mpfr_rec_sqrt, a, rsqrt_approx(a, false)), std::exp2(-22.4));
  EXPECT_LE(relative_error(mpfr_sqrt, a, sqrt_approx(a, false)), last_place);
  if (a != 0x3f800000) {
    const double error =
        std::abs(static_cast<double>(as_float(lg2_approx(a, false))) - exact(mpfr_log2, kF32, a));
    EXPECT_TRUE(error <= std::ldexp(1, -22) ||
                relative_error(mpfr_log2, a, lg2_approx(a, false)) <= std::ldexp(1, -22));
  }
  const uint32_t x = random_float(rng, -20, 6) | (rng.coin() ? 0x80000000u : 0u);
  EXPECT_LE(relative_error(mpfr_exp2, x, ex2_approx(x, false)), std::ldexp(1, -22));
  EXPECT_LE(relative_error(mpfr_tanh, x, tanh_approx(x)), std::ldexp(1, -11));
  const uint32_t angle = random_float(rng, -20, 1);
  if (as_float(angle) > 3.1415926f) return;
  EXPECT_LE(std::abs(static_cast<double>(as_float(sin_approx(angle, false))) -
                     exact(mpfr_sin, kF32, angle)),
            std::exp2(-20.5));
  EXPECT_LE(std::abs(static_cast<double>(as_float(cos_approx(angle, false))) -
                     exact(mpfr_cos, kF32, angle)),
            std::exp2(-20.5));
}

TEST(Approximate, EveryHalfWithinOneLastPlace) {
  for (uint64_t a = 0; a < 0x10000; ++a) {
    for (const Format format : {kF16, kBf16}) {
      if (is_nan(format, a)) continue;
      const auto check = [&](uint64_t ours, Function function) {
        Operands x(format, a, 0, 0);
        const uint64_t nearest =
            rounded(format, Rounding::kNearestEven,
                    [&](mpfr_t r, mpfr_rnd_t rnd) { return function(r, x.a, rnd); });
        EXPECT_EQ(ours, nearest) << std::hex << a << " of " << format.bits();
      };
      check(ex2_half(format, a, false), mpfr_exp2);
      check(tanh_half(format, a), mpfr_tanh);
    }
  }
}

TEST(Approximate, SpecialValuesOfTheIsaTables) {
  const uint32_t inf = 0x7f800000, minus = 0x80000000, nan = 0x7fffffff, one = 0x3f800000;
  EXPECT_EQ(rcp_approx(0, false), inf);
  EXPECT_EQ(rcp_approx(minus, false), minus | inf);
  EXPECT_EQ(rcp_approx(minus | inf, false), minus);
  EXPECT_EQ(rcp_approx(1, true), inf);  // a subnormal is flushed
  EXPECT_EQ(sqrt_approx(minus, false), minus);
  EXPECT_EQ(sqrt_approx(minus | one, false), nan);
  EXPECT_EQ(rsqrt_approx(minus, false), minus | inf);
  EXPECT_EQ(rsqrt_approx(inf, false), 0u);
  EXPECT_EQ(rsqrt_approx(minus | one, false), nan);
  EXPECT_EQ(sin_approx(minus, false), minus);
  EXPECT_EQ(sin_approx(inf, false), nan);
  EXPECT_EQ(cos_approx(0, false), one);
  EXPECT_EQ(cos_approx(minus | inf, false), nan);
  EXPECT_EQ(lg2_approx(0, false), minus | inf);
  EXPECT_EQ(lg2_approx(minus | one, false), nan);
  EXPECT_EQ(lg2_approx(inf, false), inf);
  EXPECT_EQ(lg2_approx(one, false), 0u);
  EXPECT_EQ(lg2_approx(1, false), 0xc3150000u);  // 2^-149
  EXPECT_EQ(lg2_approx(1, true), minus | inf);
  EXPECT_EQ(ex2_approx(minus | inf, false), 0u);
  EXPECT_EQ(ex2_approx(inf, false), inf);
  EXPECT_EQ(ex2_approx(0xc3150000, false), 1u);
  EXPECT_EQ(ex2_approx(0xc3150000, true), 0u);
  EXPECT_EQ(ex2_approx(minus, false), one);
  EXPECT_EQ(tanh_approx(minus | inf), minus | one);
  EXPECT_EQ(div_approx(one, 0x7f000000, false), 0u);  // |b| > 2^126
  EXPECT_EQ(div_approx(inf, 0x7f000000, false), nan);
  EXPECT_EQ(div_full(one, 0x7f000000, false), 0x00400000u);
  EXPECT_EQ(rcp_approx_f64(0x4000000000000000), 0x3fe0000000000000u);
  EXPECT_EQ(rcp_approx_f64(0x4008000000000000) & 0xffffffff, 0u);
  EXPECT_EQ(rsqrt_approx_ftz_f64(0x4010000000000000), 0x3fe0000000000000u);
}

}  // namespace
}  // namespace warpledger::numeric
