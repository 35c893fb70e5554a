#include "warpledger/exec/numeric/arithmetic.h"

#include <initializer_list>

namespace warpledger::numeric {
namespace {

constexpr uint64_t kQuietF64 = 0x0008000000000000;

Number nan() { return {.kind = Number::kNan}; }

Number signed_as(Number number, bool negative) {
  number.negative = negative;
  return number;
}

uint64_t finish(Format format, const Number& exact, Mode mode) {
  uint64_t bits = pack(format, exact, {.rounding = mode.rounding});
  if (mode.ftz) bits = flush(format, bits);
  if (mode.sat) bits = clamp_unit(format, bits);
  if (mode.relu) bits = relu(format, bits);
  return bits;
}

Number read(Format format, uint64_t bits, Mode mode) {
  return unpack(format, mode.ftz ? flush(format, bits) : bits);
}

// The f64 payload rule, or the canonical NaN.
uint64_t nan_of(Format format, std::initializer_list<uint64_t> operands, Mode mode) {
  if (mode.sat) return 0;
  if (format == kF64) {
    for (const uint64_t bits : operands) {
      if (is_nan(format, bits)) return bits | kQuietF64;
    }
  }
  return canonical_nan(format);
}

// Pre: a, b finite, |a| >= |b|.
Number add_magnitudes(const Number& a, const Number& b, Rounding rounding) {
  const uint128 small = shift_right_sticky(b.significand, a.exponent - b.exponent);
  const int scale = a.exponent - kLeadingBit;
  if (a.negative == b.negative) return make_number(a.negative, scale, a.significand + small);
  const uint128 difference = a.significand - small;
  // x - x is +0, but -0 when rounding down (IEEE 754 6.3).
  if (difference == 0) return {.kind = Number::kZero, .negative = rounding == Rounding::kDown};
  return make_number(a.negative, scale, difference);
}

bool smaller(const Number& a, const Number& b) {
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.significand < b.significand;
}

// floor(2^126 * a/b) with a sticky bit. Pre: both normalized.
uint128 divide(uint128 a, uint128 b) {
  uint128 quotient = 0;
  for (int i = 0; i < 127; ++i) {
    quotient <<= 1;
    if (a >= b) {
      a -= b;
      quotient |= 1;
    }
    a <<= 1;
  }
  return (quotient << 1) | (a != 0 ? 1 : 0);
}

// The integer square root of v * 2^126, with a sticky bit below it. Pre: v < 2^128.
// Digit by digit: `root` of 64 bits suffices, since results have at most 53.
Number sqrt_finite(const Number& a) {
  const bool odd = (a.exponent & 1) != 0;
  // value = m * 2^e with e even and m = significand / 2^126 (or twice that).
  uint128 m = odd ? a.significand << 1 : a.significand;
  const int exponent = odd ? a.exponent - 1 : a.exponent;
  uint128 root = 0, rest = 0;
  for (int i = 0; i < 64; ++i) {  // two bits of m a step, from the top: root^2 <= m
    rest = (rest << 2) | (m >> 126);
    m <<= 2;
    const uint128 trial = (root << 2) | 1;
    root <<= 1;
    if (rest >= trial) {
      rest -= trial;
      root |= 1;
    }
  }
  // root = floor(sqrt(m)), m scaled by 2^126: root is scaled by 2^63.
  const uint128 sticky = (root << 1) | (rest != 0 ? 1 : 0);
  return make_number(false, exponent / 2 - 64, sticky);
}

uint64_t extreme(Format format, uint64_t a, uint64_t b, Extreme mode, Order wanted) {
  if (mode.ftz) a = flush(format, a), b = flush(format, b);
  const uint64_t sign = (a ^ b) & format.sign_bit();
  if (mode.xorsign_abs) a &= ~format.sign_bit(), b &= ~format.sign_bit();
  const bool nan_a = is_nan(format, a), nan_b = is_nan(format, b);
  if ((nan_a && nan_b) || (mode.nan && (nan_a || nan_b))) return canonical_nan(format);
  uint64_t result = b;
  if (nan_b) {
    result = a;
  } else if (!nan_a) {
    const Order order = compare(format, a, b);
    const bool negative_a = (a & format.sign_bit()) != 0;
    const bool zeros = order == Order::kEqual && a != b;
    result = (zeros ? negative_a == (wanted == Order::kLess) : order == wanted) ? a : b;
  }
  return mode.xorsign_abs ? (result & ~format.sign_bit()) | sign : result;
}

}  // namespace

Number add_exact(const Number& a, const Number& b, Rounding rounding) {
  if (a.kind == Number::kNan || b.kind == Number::kNan) return nan();
  if (a.kind == Number::kInfinite) {
    return b.kind == Number::kInfinite && a.negative != b.negative ? nan() : a;
  }
  if (b.kind == Number::kInfinite) return b;
  if (a.kind == Number::kZero && b.kind == Number::kZero) {
    return signed_as(a, a.negative == b.negative ? a.negative : rounding == Rounding::kDown);
  }
  if (a.kind == Number::kZero) return b;
  if (b.kind == Number::kZero) return a;
  return smaller(a, b) ? add_magnitudes(b, a, rounding) : add_magnitudes(a, b, rounding);
}

// Exact when both significands have at most 63 bits, which every format's have.
Number mul_exact(const Number& a, const Number& b) {
  const bool negative = a.negative != b.negative;
  if (a.kind == Number::kNan || b.kind == Number::kNan) return nan();
  const bool infinite = a.kind == Number::kInfinite || b.kind == Number::kInfinite;
  const bool zero = a.kind == Number::kZero || b.kind == Number::kZero;
  if (infinite) return zero ? nan() : Number{.kind = Number::kInfinite, .negative = negative};
  if (zero) return {.kind = Number::kZero, .negative = negative};
  const uint128 product = (a.significand >> 63) * (b.significand >> 63);
  return make_number(negative, a.exponent + b.exponent - 2 * (kLeadingBit - 63), product);
}

uint64_t add(Format format, uint64_t a, uint64_t b, Mode mode) {
  const Number exact = add_exact(read(format, a, mode), read(format, b, mode), mode.rounding);
  return exact.kind == Number::kNan ? nan_of(format, {a, b}, mode) : finish(format, exact, mode);
}

uint64_t sub(Format format, uint64_t a, uint64_t b, Mode mode) {
  if (is_nan(format, a) || is_nan(format, b)) return nan_of(format, {a, b}, mode);
  return add(format, a, b ^ format.sign_bit(), mode);
}

uint64_t mul(Format format, uint64_t a, uint64_t b, Mode mode) {
  const Number exact = mul_exact(read(format, a, mode), read(format, b, mode));
  return exact.kind == Number::kNan ? nan_of(format, {a, b}, mode) : finish(format, exact, mode);
}

uint64_t fma(Format format, uint64_t a, uint64_t b, uint64_t c, Mode mode) {
  const Number product = mul_exact(read(format, a, mode), read(format, b, mode));
  const Number exact = add_exact(product, read(format, c, mode), mode.rounding);
  return exact.kind == Number::kNan ? nan_of(format, {a, b, c}, mode) : finish(format, exact, mode);
}

uint64_t div(Format format, uint64_t a, uint64_t b, Mode mode) {
  const Number x = read(format, a, mode), y = read(format, b, mode);
  const bool negative = x.negative != y.negative;
  const bool invalid = x.kind == y.kind && x.kind != Number::kFinite;
  if (x.kind == Number::kNan || y.kind == Number::kNan || invalid) {
    return nan_of(format, {a, b}, mode);
  }
  if (x.kind == Number::kInfinite || y.kind == Number::kZero) {
    return finish(format, {.kind = Number::kInfinite, .negative = negative}, mode);
  }
  if (x.kind == Number::kZero || y.kind == Number::kInfinite) {
    return finish(format, {.kind = Number::kZero, .negative = negative}, mode);
  }
  const uint128 quotient = divide(x.significand, y.significand);
  return finish(format, make_number(negative, x.exponent - y.exponent - 127, quotient), mode);
}

uint64_t rcp(Format format, uint64_t a, Mode mode) {
  const uint64_t one = static_cast<uint64_t>(format.bias()) << format.fraction_bits;
  return div(format, one, a, mode);
}

uint64_t sqrt(Format format, uint64_t a, Mode mode) {
  const Number x = read(format, a, mode);
  if (x.kind == Number::kNan) return nan_of(format, {a}, mode);
  if (x.kind == Number::kZero) return finish(format, x, mode);
  if (x.negative) return nan_of(format, {}, mode);
  if (x.kind == Number::kInfinite) return finish(format, x, mode);
  return finish(format, sqrt_finite(x), mode);
}

uint64_t abs(Format format, uint64_t a, bool ftz) {
  return (ftz ? flush(format, a) : a) & ~format.sign_bit();
}

uint64_t neg(Format format, uint64_t a, bool ftz) {
  return (ftz ? flush(format, a) : a) ^ format.sign_bit();
}

Order compare(Format format, uint64_t a, uint64_t b, bool ftz) {
  if (ftz) a = flush(format, a), b = flush(format, b);
  if (is_nan(format, a) || is_nan(format, b)) return Order::kUnordered;
  const auto value = [&](uint64_t bits) {  // monotonic, and equal for both zeros
    const auto magnitude = static_cast<int64_t>(bits & (format.sign_bit() - 1));
    return (bits & format.sign_bit()) != 0 ? -magnitude : magnitude;
  };
  if (value(a) == value(b)) return Order::kEqual;
  return value(a) < value(b) ? Order::kLess : Order::kGreater;
}

uint64_t min(Format format, uint64_t a, uint64_t b, Extreme mode) {
  return extreme(format, a, b, mode, Order::kLess);
}

uint64_t max(Format format, uint64_t a, uint64_t b, Extreme mode) {
  return extreme(format, a, b, mode, Order::kGreater);
}

uint64_t clamp_unit(Format format, uint64_t bits) {
  if (is_nan(format, bits) || (bits & format.sign_bit()) != 0) return 0;
  const uint64_t one = static_cast<uint64_t>(format.bias()) << format.fraction_bits;
  return bits > one ? one : bits;
}

uint64_t relu(Format format, uint64_t bits) {
  if (is_nan(format, bits)) return canonical_nan(format);
  return (bits & format.sign_bit()) != 0 ? 0 : bits;
}

}  // namespace warpledger::numeric
