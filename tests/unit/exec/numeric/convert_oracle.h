// An independent oracle for cvt and cvt.pack.
#pragma once

#include <array>

#include "tests/unit/exec/numeric/float_oracle.h"

namespace warpledger::exec::oracle {

inline bool rounds_to_integer(const ptx::Spelling& s) {
  const Modifier r = s.get(Slot::kRounding);
  return r == Modifier::kRni || r == Modifier::kRzi || r == Modifier::kRmi || r == Modifier::kRpi;
}

/// A double as an integer of the rounding that the spelling names.
inline double integral(const ptx::Spelling& s, double x) {
  switch (rounding_of(s.get(Slot::kRounding))) {
    case Rounding::kZero:
      return std::trunc(x);
    case Rounding::kDown:
      return std::floor(x);
    case Rounding::kUp:
      return std::ceil(x);
    default:
      return std::nearbyint(x);
  }
}

/// What the ISA gives no meaning, or where it leaves the bits open: not compared.
inline bool is_meaningful(const ptx::Spelling& s) {
  const TypeInfo to = type_info(s.type(0)), from = type_info(s.type(1));
  const bool has_f32 = s.type(0) == ptx::Type::kF32 || s.type(1) == ptx::Type::kF32;
  if (s.op() != Op::kCvt) return true;
  if (s.has(Modifier::kFtz) && !has_f32) return false;
  if (!to.is_float || !from.is_float || to.count > 1 || from.count > 1) return true;
  const bool narrows = to.format.fraction_bits < from.format.fraction_bits ||
                       to.format.exponent_bits < from.format.exponent_bits;
  if (rounds_to_integer(s)) return s.type(0) == s.type(1);
  return !narrows || s.get(Slot::kRounding) != Modifier::kNone || s.has(Modifier::kRna);
}

inline uint64_t double_bits(double x) {
  uint64_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline uint64_t limited(const ptx::Spelling& s, Format f, uint64_t bits) {
  if (s.has(Modifier::kSatfinite) && (bits & ~f.sign_bit()) == numeric::infinity(f))
    bits = (bits & f.sign_bit()) | numeric::largest_finite(f);
  return finished(s, f, bits);
}

/// The nearest of all codes of an 8-bit format; ties to even codes; too large is the largest.
inline uint64_t nearest_f8(Format f, double x) {
  if (std::isnan(x)) return f.top == numeric::Top::kOneNan ? 0x7f : quiet(f);
  if (std::abs(x) >= real(f, numeric::largest_finite(f)))
    return numeric::largest_finite(f) | (x < 0 ? 0x80 : 0);
  static const auto table = [](Format format) {
    std::array<double, 128> values;
    for (uint64_t i = 0; i < 128; ++i) values[i] = real(format, i);
    return values;
  };
  static const std::array<double, 128> e4m3 = table(numeric::kE4m3), e5m2 = table(numeric::kE5m2);
  const auto& values = f == numeric::kE4m3 ? e4m3 : e5m2;
  uint64_t best = 0;
  for (uint64_t i = 0; i <= numeric::largest_finite(f); ++i) {
    const double here = std::abs(values[i] - std::abs(x)),
                 so_far = std::abs(values[best] - std::abs(x));
    if (here < so_far || (here == so_far && i % 2 == 0)) best = i;
  }
  return best | (std::signbit(x) ? 0x80 : 0);
}

/// One element, float to float.
inline std::optional<uint64_t> float_to_float(const ptx::Spelling& s, const TypeInfo& to,
                                              const TypeInfo& from, uint64_t a) {
  a &= mask(from.element_bits);
  if (s.has(Modifier::kFtz) && from.format == numeric::kF32) a = flushed(from.format, a);
  double x = real(from.format, a);
  if (std::isnan(x) && from.format == to.format && !s.has(Modifier::kSat)) return {};
  if (to.format.bits() == 8) {
    if (s.has(Modifier::kRelu) && x < 0) x = 0;
    return nearest_f8(to.format, x);
  }
  if (s.has(Modifier::kRna)) {  // tf32: half of the last place added to the magnitude
    if (std::isnan(x)) return {};
    const uint64_t up = (a + 0x1000) & ~uint64_t{0x1fff};
    return std::isinf(x) ? limited(s, numeric::kTf32, a >> 13) << 13
                         : limited(s, numeric::kTf32, up >> 13) << 13;
  }
  if (rounds_to_integer(s)) x = std::isnan(x) ? x : integral(s, x);
  const Rounding rounding =
      rounds_to_integer(s) ? Rounding::kNearestEven : rounding_of(s.get(Slot::kRounding));
  const uint64_t bits = numeric::rounded(
      to.format, rounding, [&](mpfr_t r, mpfr_rnd_t m) { return mpfr_set_d(r, x, m); });
  const uint64_t result = limited(s, to.format, bits);
  return s.type(0) == ptx::Type::kTf32 ? result << 13 : result;
}

inline std::optional<uint64_t> float_to_integer(const ptx::Spelling& s, const TypeInfo& to,
                                                const TypeInfo& from, uint64_t a) {
  a &= mask(from.element_bits);
  if (s.has(Modifier::kFtz)) a = flushed(from.format, a);
  const double x = real(from.format, a);
  if (std::isnan(x)) return {};
  const double r = integral(s, x), limit = std::ldexp(1, 100);
  const double held = r > limit ? limit : r < -limit ? -limit : r;
  return bits_of(clamp(to.bits, to.is_signed, static_cast<Wide>(held)));
}

inline uint64_t integer_to_float(const ptx::Spelling& s, const TypeInfo& to, const TypeInfo& from,
                                 uint64_t a) {
  const Wide x = value(from.bits, from.is_signed, a);
  const uint64_t bits =
      numeric::rounded(to.format, rounding_of(s.get(Slot::kRounding)), [&](mpfr_t r, mpfr_rnd_t m) {
        return from.is_signed ? mpfr_set_sj(r, static_cast<intmax_t>(x), m)
                              : mpfr_set_uj(r, static_cast<uintmax_t>(x), m);
      });
  return finished(s, to.format, bits);
}

inline std::optional<uint64_t> conversion(const ptx::Spelling& s, const Inputs& in) {
  const TypeInfo to = type_info(s.type(0)), from = type_info(s.type(1));
  if (s.op() == Op::kCvtPack) {
    const auto part = [&](int i) {
      return bits_of(clamp(to.bits, to.is_signed, value(32, true, in[i]))) & mask(to.bits);
    };
    const uint64_t above = s.type_count > 2 ? in[2] << (2 * to.bits) : 0;
    return (above | part(0) << to.bits | part(1)) & 0xffffffff;
  }
  if (to.count == 2) {  // the first operand, or the upper element, becomes the upper element
    const auto low = from.count == 2 ? in[0] : in[1];
    const auto high = from.count == 2 ? in[0] >> from.element_bits : in[0];
    const auto l = float_to_float(s, to, from, low), h = float_to_float(s, to, from, high);
    if (!l || !h) return {};
    return (*h & mask(to.element_bits)) << to.element_bits | (*l & mask(to.element_bits));
  }
  if (to.is_float && from.is_float) return float_to_float(s, to, from, in[0]);
  if (to.is_float) return integer_to_float(s, to, from, in[0]);
  if (from.is_float) return float_to_integer(s, to, from, in[0]);
  const Wide x = value(from.bits, from.is_signed, in[0]);
  return bits_of(s.has(Modifier::kSat) ? clamp(to.bits, to.is_signed, x) : x);
}

}  // namespace warpledger::exec::oracle
