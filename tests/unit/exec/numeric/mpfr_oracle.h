// An independent oracle for floating point: MPFR, with a format's precision and exponent range.
#pragma once

#include <mpfr.h>

#include <functional>

#include "warpledger/exec/numeric/number.h"

namespace warpledger::numeric {

inline mpfr_rnd_t mpfr_rounding(Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero:
      return MPFR_RNDZ;
    case Rounding::kDown:
      return MPFR_RNDD;
    case Rounding::kUp:
      return MPFR_RNDU;
    default:
      return MPFR_RNDN;
  }
}

inline void set_bits(mpfr_t x, Format format, uint64_t bits) {
  const bool negative = (bits & format.sign_bit()) != 0;
  const uint64_t fraction = bits & format.fraction_mask();
  const auto code = static_cast<long>((bits & format.exponent_mask()) >> format.fraction_bits);
  const long top = (1L << format.exponent_bits) - 1;
  if (format.top == Top::kInfinityAndNan && code == top) {
    if (fraction != 0)
      mpfr_set_nan(x);
    else
      mpfr_set_inf(x, negative ? -1 : 1);
    return;
  }
  const long exponent = (code == 0 ? 1 : code) - format.bias() - format.fraction_bits;
  mpfr_set_ui_2exp(x, fraction | (code == 0 ? 0 : uint64_t{1} << format.fraction_bits), exponent,
                   MPFR_RNDN);
  if (negative) mpfr_neg(x, x, MPFR_RNDN);
}

/// Pre: x is a value of the format, or an infinity or NaN. IEEE formats only.
inline uint64_t get_bits(mpfr_t x, Format format) {
  if (mpfr_nan_p(x)) return canonical_nan(format);
  const uint64_t sign = mpfr_signbit(x) != 0 ? format.sign_bit() : 0;
  if (mpfr_inf_p(x)) return sign | format.exponent_mask();
  if (mpfr_zero_p(x)) return sign;
  const long exponent = mpfr_get_exp(x) - 1, lowest = 1 - format.bias();
  const long scale = (exponent < lowest ? lowest : exponent) - format.fraction_bits;
  mpfr_t scaled;
  mpfr_init2(scaled, 120);
  mpfr_abs(scaled, x, MPFR_RNDN);
  mpfr_mul_2si(scaled, scaled, -scale, MPFR_RNDN);
  const uint64_t significand = mpfr_get_ui(scaled, MPFR_RNDN);
  mpfr_clear(scaled);
  if (exponent < lowest) return sign | significand;
  return sign | ((static_cast<uint64_t>(exponent - lowest) << format.fraction_bits) + significand);
}

/// operation(result, rounding) -> MPFR's ternary value, rounded to `format`.
inline uint64_t rounded(Format format, Rounding rounding,
                        const std::function<int(mpfr_t, mpfr_rnd_t)>& operation) {
  const mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t result;
  mpfr_init2(result, format.fraction_bits + 1);
  mpfr_set_emin(2 - format.bias() - format.fraction_bits);
  mpfr_set_emax(format.bias() + 1);
  const mpfr_rnd_t rnd = mpfr_rounding(rounding);
  int ternary = operation(result, rnd);
  ternary = mpfr_check_range(result, ternary, rnd);
  mpfr_subnormalize(result, ternary, rnd);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  const uint64_t bits = get_bits(result, format);
  mpfr_clear(result);
  return bits;
}

/// Three operands of a format as MPFR numbers.
struct Operands {
  mpfr_t a, b, c;
  Operands(Format format, uint64_t x, uint64_t y, uint64_t z) {
    mpfr_inits2(64, a, b, c, nullptr);
    set_bits(a, format, x);
    set_bits(b, format, y);
    set_bits(c, format, z);
  }
  Operands(const Operands&) = delete;
  Operands& operator=(const Operands&) = delete;
  ~Operands() { mpfr_clears(a, b, c, nullptr); }
};

}  // namespace warpledger::numeric
