// An independent oracle for floating-point instructions, comparisons and conversions: MPFR for
// arithmetic, the ISA's pseudocode for the rest.
#pragma once

#include <cmath>
#include <cstring>
#include <optional>

#include "tests/unit/exec/numeric/integer_oracle.h"
#include "tests/unit/exec/numeric/mpfr_oracle.h"

namespace warpledger::exec::oracle {

using numeric::Format;
using numeric::Rounding;

/// Exact for every format: none has more bits than a double.
inline double real(Format format, uint64_t bits) {
  const auto code = static_cast<int>((bits & format.exponent_mask()) >> format.fraction_bits);
  const uint64_t fraction = bits & format.fraction_mask();
  const bool last = code == (1 << format.exponent_bits) - 1;
  const double sign = (bits & format.sign_bit()) != 0 ? -1 : 1;
  if (last && format.top == numeric::Top::kInfinityAndNan)
    return fraction == 0 ? sign * INFINITY : NAN;
  if (last && format.top == numeric::Top::kOneNan && fraction == format.fraction_mask()) return NAN;
  const auto significand =
      static_cast<double>(fraction | (code == 0 ? 0 : uint64_t{1} << format.fraction_bits));
  return sign *
         std::ldexp(significand, (code == 0 ? 1 : code) - format.bias() - format.fraction_bits);
}
inline bool is_nan_bits(Format f, uint64_t bits) { return std::isnan(real(f, bits)); }
inline uint64_t flushed(Format f, uint64_t bits) {
  return (bits & f.exponent_mask()) == 0 ? bits & f.sign_bit() : bits;
}
inline uint64_t one(Format f) { return static_cast<uint64_t>(f.bias()) << f.fraction_bits; }
inline uint64_t quiet(Format f) { return numeric::canonical_nan(f); }

/// .ftz, .sat and .relu of a result. cvt.ftz is about f32 alone.
inline uint64_t finished(const ptx::Spelling& s, Format f, uint64_t bits) {
  if (s.has(Modifier::kFtz) && (s.op() != Op::kCvt || f == numeric::kF32)) bits = flushed(f, bits);
  const double v = real(f, bits);
  if (s.has(Modifier::kSat)) bits = std::isnan(v) || v <= 0 ? 0 : v >= 1 ? one(f) : bits;
  if (s.has(Modifier::kRelu) && v < 0) bits = 0;
  return bits;
}

/// One scalar operation that is rounded; nothing for opcodes that are not.
inline std::optional<uint64_t> rounded_scalar(const ptx::Spelling& s, Format f, uint64_t a,
                                              uint64_t b, uint64_t c) {
  if (s.has(Modifier::kFtz)) a = flushed(f, a), b = flushed(f, b), c = flushed(f, c);
  if (s.has(Modifier::kOob) && (a == 0xffff || b == 0xffff)) return 0;
  numeric::Operands x(f, a, b, c);
  const auto round = [&](auto operation) {
    return finished(s, f, numeric::rounded(f, rounding_of(s.get(Slot::kRounding)), operation));
  };
  switch (s.op()) {
    case Op::kAdd:
      return round([&](mpfr_t r, mpfr_rnd_t m) { return mpfr_add(r, x.a, x.b, m); });
    case Op::kSub:
      return round([&](mpfr_t r, mpfr_rnd_t m) { return mpfr_sub(r, x.a, x.b, m); });
    case Op::kMul:
      return round([&](mpfr_t r, mpfr_rnd_t m) { return mpfr_mul(r, x.a, x.b, m); });
    case Op::kMad:
    case Op::kFma:
      return round([&](mpfr_t r, mpfr_rnd_t m) { return mpfr_fma(r, x.a, x.b, x.c, m); });
    case Op::kDiv:
      return round([&](mpfr_t r, mpfr_rnd_t m) { return mpfr_div(r, x.a, x.b, m); });
    case Op::kRcp:
      return round([&](mpfr_t r, mpfr_rnd_t m) { return mpfr_ui_div(r, 1, x.a, m); });
    case Op::kSqrt:
      return round([&](mpfr_t r, mpfr_rnd_t m) { return mpfr_sqrt(r, x.a, m); });
    default:
      return {};
  }
}

inline uint64_t extreme(const ptx::Spelling& s, Format f, uint64_t a, uint64_t b) {
  const uint64_t sign = (a ^ b) & f.sign_bit(), magnitude = ~f.sign_bit();
  if (s.has(Modifier::kFtz)) a = flushed(f, a), b = flushed(f, b);
  if (s.has(Modifier::kAbs)) a &= magnitude, b &= magnitude;
  const double x = real(f, a), y = real(f, b);
  const bool least = s.op() == Op::kMin;
  uint64_t d = 0;
  if ((std::isnan(x) && std::isnan(y)) ||
      (s.has(Modifier::kNaN) && (std::isnan(x) || std::isnan(y))))
    return quiet(f);
  if (std::isnan(x))
    d = b;
  else if (std::isnan(y))
    d = a;
  else if (x == y)  // -0 is less than +0
    d = least == std::signbit(x) ? a : b;
  else
    d = (x < y) == least ? a : b;
  return s.has(Modifier::kXorsign) ? (d & magnitude) | sign : d;
}

/// One element of what is neither rounded nor approximate.
inline std::optional<uint64_t> exact_scalar(const ptx::Spelling& s, Format f, uint64_t a,
                                            uint64_t b) {
  const uint64_t sign = f.sign_bit();
  const double x = real(f, a);
  const bool subnormal = (a & f.exponent_mask()) == 0 && (a & f.fraction_mask()) != 0;
  switch (s.op()) {
    case Op::kAbs:
      return (s.has(Modifier::kFtz) ? flushed(f, a) : a) & ~sign;
    case Op::kNeg:
      return (s.has(Modifier::kFtz) ? flushed(f, a) : a) ^ sign;
    case Op::kMin:
    case Op::kMax:
      return extreme(s, f, a, b);
    case Op::kCopysign:
      return (a & sign) | (b & ~sign);
    case Op::kTestp:
      switch (s.get(Slot::kOperation)) {
        case Modifier::kFinite:
          return std::isfinite(x);
        case Modifier::kInfinite:
          return std::isinf(x);
        case Modifier::kNumber:
          return !std::isnan(x);
        case Modifier::kNotanumber:
          return std::isnan(x);
        case Modifier::kNormal:
          return std::isfinite(x) && x != 0 && !subnormal;
        default:
          return subnormal;
      }
    default:
      return {};
  }
}

/// a `compare` b by the ISA's table: false where a NaN makes it so, true for the u forms.
template <class T>
bool compares(Modifier c, T a, T b, bool unordered) {
  switch (c) {
    case Modifier::kEq:
      return !unordered && a == b;
    case Modifier::kNe:
      return !unordered && a != b;
    case Modifier::kLt:
    case Modifier::kLo:
      return !unordered && a < b;
    case Modifier::kLe:
    case Modifier::kLs:
      return !unordered && a <= b;
    case Modifier::kGt:
    case Modifier::kHi:
      return !unordered && a > b;
    case Modifier::kGe:
    case Modifier::kHs:
      return !unordered && a >= b;
    case Modifier::kEqu:
      return unordered || a == b;
    case Modifier::kNeu:
      return unordered || a != b;
    case Modifier::kLtu:
      return unordered || a < b;
    case Modifier::kLeu:
      return unordered || a <= b;
    case Modifier::kGtu:
      return unordered || a > b;
    case Modifier::kGeu:
      return unordered || a >= b;
    case Modifier::kNum:
      return !unordered;
    default:
      return unordered;
  }
}

inline bool compared(const ptx::Spelling& s, const TypeInfo& t, uint64_t a, uint64_t b) {
  const Modifier c = s.get(Slot::kCompare);
  if (!t.is_float) {
    return compares(c, value(t.element_bits, t.is_signed, a), value(t.element_bits, t.is_signed, b),
                    false);
  }
  a &= mask(t.element_bits), b &= mask(t.element_bits);
  if (s.has(Modifier::kFtz)) a = flushed(t.format, a), b = flushed(t.format, b);
  const double x = real(t.format, a), y = real(t.format, b);
  return compares(c, x, y, std::isnan(x) || std::isnan(y));
}
inline bool joined(const ptx::Spelling& s, bool r, bool c) {
  switch (s.get(Slot::kBool)) {
    case Modifier::kAnd:
      return r && c;
    case Modifier::kOr:
      return r || c;
    case Modifier::kXor:
      return r != c;
    default:
      return r;
  }
}

/// set, setp, slct.
inline std::optional<uint64_t> comparison(const ptx::Spelling& s, const Inputs& in) {
  const bool c = in[2] != 0;
  if (s.op() == Op::kSlct) {
    const bool is_float = s.type(1) == ptx::Type::kF32;
    const bool chosen =
        is_float ? real(numeric::kF32, in[2] & 0xffffffff) >= 0 : value(32, true, in[2]) >= 0;
    const bool zero = s.has(Modifier::kFtz) && (flushed(numeric::kF32, in[2]) & 0x7fffffff) == 0;
    return chosen || zero ? in[0] : in[1];
  }
  const TypeInfo from = type_info(s.type(s.op() == Op::kSet ? 1 : 0)), to = type_info(s.type(0));
  bool r[2] = {};
  for (int i = 0; i < from.count; ++i)
    r[i] = compared(s, from, in[0] >> (16 * i), in[1] >> (16 * i));
  if (s.op() == Op::kSetp) {
    const bool second = from.count == 2 ? r[1] : !r[0];
    return uint64_t{joined(s, r[0], c)} | uint64_t{joined(s, second, c)} << 32;
  }
  if (s.op() != Op::kSet) return {};
  const int width = to.bits / from.count;
  uint64_t all = 0;
  for (int i = 0; i < from.count; ++i) {
    if (joined(s, r[i], c)) all |= (to.is_float ? one(to.format) : mask(width)) << (i * width);
  }
  return all;
}

}  // namespace warpledger::exec::oracle
