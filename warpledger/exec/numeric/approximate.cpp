#include "warpledger/exec/numeric/approximate.h"

#include <bit>
#include <cmath>

#include "warpledger/exec/numeric/convert.h"
#include "warpledger/exec/numeric/series.h"

namespace warpledger::numeric {
namespace {

constexpr uint32_t kNan = 0x7fffffff, kInfinity = 0x7f800000, kSign = 0x80000000;
constexpr uint32_t kOne = 0x3f800000;

bool is_nan32(uint32_t a) { return (a & ~kSign) > kInfinity; }
bool is_infinite32(uint32_t a) { return (a & ~kSign) == kInfinity; }
bool is_zero32(uint32_t a) { return (a & ~kSign) == 0; }

uint32_t flushed(uint32_t a, bool ftz) { return ftz ? static_cast<uint32_t>(flush(kF32, a)) : a; }

double wide(uint32_t a) { return static_cast<double>(std::bit_cast<float>(a)); }

uint32_t narrow(double value, bool ftz) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  return static_cast<uint32_t>(convert(kF32, kF64, bits, {.ftz = ftz}));
}

template <size_t N>
double series(const std::array<double, N>& terms, double x) {
  double sum = terms[N - 1];
  for (size_t k = N - 1; k-- > 0;) sum = terms[k] + sum * x;
  return sum;
}

// 2^x, |x| < 2000: 2^n times e^(r ln 2), |r| <= 1/2; 1e-16 relative.
double exp2_double(double x) {
  const double n = std::floor(x + 0.5);
  return std::ldexp(series(kExpTerms, (x - n) * kLn2), static_cast<int>(n));
}

// log2 of a positive normal double: exponent plus 2/ln2 * atanh((m-1)/(m+1)), m in [0.7, 1.42].
double log2_double(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < kRootHalf) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  return exponent + 2.0 / kLn2 * (s * series(kAtanhTerms, s * s));
}

// sin (quarter 0) or cos (quarter 1) of x after reduction by multiples of pi/2. Beyond 2^30 the
// reduction loses its meaning, as the hardware's does; the result stays in [-1, 1].
double sine(double x, int quarter) {
  const double n = std::floor(x * (2 / kPi) + 0.5);
  const double r = (x - n * kHalfPiHigh) - n * kHalfPiLow;
  const auto phase = static_cast<int>(n - 4 * std::floor(n / 4)) + quarter;
  const double y = std::abs(r) > 1 ? 0 : r;  // only after a meaningless reduction
  const double square = y * y;
  const double value =
      (phase & 1) == 0 ? series(kSineTerms, square) * y : series(kCosineTerms, square);
  return (phase & 2) == 0 ? value : -value;
}

double tanh_double(double x) {
  const double magnitude = std::abs(x);
  if (magnitude > kTanhMost) return std::copysign(1.0, x);
  const double e = exp2_double(-2 * magnitude / kLn2);
  // Below 2^-7 the difference 1 - e loses bits: three terms of the series are exact enough there.
  const double square = x * x;
  const double small = magnitude * (1 - square / 3 + 2 * square * square / 15);
  return std::copysign(magnitude < kTanhFew ? small : (1 - e) / (1 + e), x);
}

uint64_t upper_half(uint64_t bits) { return bits & 0xffffffff00000000; }

}  // namespace

uint32_t rcp_approx(uint32_t a, bool ftz) {
  return static_cast<uint32_t>(rcp(kF32, a, {.ftz = ftz}));
}

uint32_t sqrt_approx(uint32_t a, bool ftz) {
  return static_cast<uint32_t>(sqrt(kF32, a, {.ftz = ftz}));
}

uint32_t rsqrt_approx(uint32_t a, bool ftz) {
  a = flushed(a, ftz);
  if (is_zero32(a)) return (a & kSign) | kInfinity;
  if (is_nan32(a) || (a & kSign) != 0) return kNan;
  if (is_infinite32(a)) return 0;
  return narrow(1.0 / std::sqrt(wide(a)), ftz);
}

uint32_t sin_approx(uint32_t a, bool ftz) {
  a = flushed(a, ftz);
  if (is_zero32(a)) return a;
  if (is_nan32(a) || is_infinite32(a)) return kNan;
  return narrow(sine(wide(a), 0), ftz);
}

uint32_t cos_approx(uint32_t a, bool ftz) {
  a = flushed(a, ftz);
  if (is_nan32(a) || is_infinite32(a)) return kNan;
  return narrow(sine(wide(a), 1), ftz);
}

uint32_t lg2_approx(uint32_t a, bool ftz) {
  a = flushed(a, ftz);
  if (is_zero32(a)) return kSign | kInfinity;
  if (is_nan32(a) || (a & kSign) != 0) return kNan;
  return is_infinite32(a) ? kInfinity : narrow(log2_double(wide(a)), ftz);
}

uint32_t ex2_approx(uint32_t a, bool ftz) {
  a = flushed(a, ftz);
  if (is_nan32(a)) return kNan;
  const double x = wide(a);
  if (x > kExp2Most) return kInfinity;
  return x < -kExp2Most ? 0 : narrow(exp2_double(x), ftz);
}

uint32_t tanh_approx(uint32_t a) {
  if (is_nan32(a)) return kNan;
  if (is_zero32(a) || is_subnormal(kF32, a)) return a;
  return is_infinite32(a) ? (a & kSign) | kOne : narrow(tanh_double(wide(a)), false);
}

uint32_t div_approx(uint32_t a, uint32_t b, bool ftz) {
  constexpr uint32_t kTwoTo126 = 0x7e800000;
  const uint32_t magnitude = b & ~kSign;
  if (magnitude > kTwoTo126 && magnitude < kInfinity && !is_nan32(a)) {
    return is_infinite32(a) ? kNan : (a ^ b) & kSign;
  }
  return static_cast<uint32_t>(div(kF32, a, b, {.ftz = ftz}));
}

uint32_t div_full(uint32_t a, uint32_t b, bool ftz) {
  return static_cast<uint32_t>(div(kF32, a, b, {.ftz = ftz}));
}

uint64_t ex2_half(Format format, uint64_t a, bool ftz) {
  if (ftz) a = flush(format, a);
  const Number number = unpack(format, a);
  if (number.kind == Number::kNan) return canonical_nan(format);
  const double x = std::bit_cast<double>(convert(kF64, format, a));
  if (x > 2000) return infinity(format);
  const uint64_t bits = x < -2000 ? 0 : std::bit_cast<uint64_t>(exp2_double(x));
  const uint64_t result = convert(format, kF64, bits);
  return ftz ? flush(format, result) : result;
}

uint64_t tanh_half(Format format, uint64_t a) {
  if (is_nan(format, a)) return canonical_nan(format);
  const double x = std::bit_cast<double>(convert(kF64, format, a));
  if (x == 0) return a;
  return convert(format, kF64, std::bit_cast<uint64_t>(tanh_double(x)));
}

uint64_t rcp_approx_f64(uint64_t a) {
  if (is_nan(kF64, a)) return rcp(kF64, a);
  return flush(kF64, upper_half(rcp(kF64, upper_half(flush(kF64, a)))));
}

uint64_t rsqrt_approx_ftz_f64(uint64_t a) {
  return upper_half(rsqrt_approx_f64(upper_half(flush(kF64, a))));
}

uint64_t rsqrt_approx_f64(uint64_t a) {
  if (is_nan(kF64, a)) return a | 0x0008000000000000;
  const uint64_t sign = a & kF64.sign_bit();
  if ((a & ~kF64.sign_bit()) == 0) return sign | infinity(kF64);
  return sign != 0 ? canonical_nan(kF64) : div(kF64, 0x3ff0000000000000, sqrt(kF64, a));
}

}  // namespace warpledger::numeric
