// exec/numeric/: what PTX's arithmetic means, as pure functions on bit patterns.
//
// The room knows: the floating-point formats, their rounding, NaN and subnormal rules, integer and
// bit operations, conversions, the approximate functions and the tensor cores' sums. It knows no
// instruction, register or memory. The interpreter calls it; the JIT must equal it bit for bit.
// Everything is integer arithmetic, or double arithmetic whose every step IEEE 754 fixes, compiled
// without contraction: no feature of the host changes a result.
//
// This file: a floating-point value taken apart, and put together again in any format.
#pragma once

#include <cstdint>

namespace warpledger::numeric {

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

/// How the largest exponent code is used.
enum class Top {
  kInfinityAndNan,  // IEEE 754
  kOneNan,          // e4m3: only all ones is NaN, there is no infinity
  kFinite           // e2m1, e2m3, e3m2: every code is a finite number
};

/// Sign, exponent, fraction, from the top bit down. bias = 2^(exponent_bits-1) - 1.
struct Format {
  int exponent_bits;
  int fraction_bits;
  Top top = Top::kInfinityAndNan;

  [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  [[nodiscard]] constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  [[nodiscard]] constexpr uint64_t sign_bit() const { return uint64_t{1} << (bits() - 1); }
  [[nodiscard]] constexpr uint64_t fraction_mask() const {
    return (uint64_t{1} << fraction_bits) - 1;
  }
  [[nodiscard]] constexpr uint64_t exponent_mask() const {
    return ((uint64_t{1} << exponent_bits) - 1) << fraction_bits;
  }
  friend constexpr bool operator==(Format, Format) = default;
};

inline constexpr Format kF64{11, 52};
inline constexpr Format kF32{8, 23};
inline constexpr Format kTf32{8, 10};  // as 19 bits; in a register it stands in the upper 19 of 32
inline constexpr Format kF16{5, 10};
inline constexpr Format kBf16{8, 7};
inline constexpr Format kE5m2{5, 2};
inline constexpr Format kE4m3{4, 3, Top::kOneNan};
inline constexpr Format kE3m2{3, 2, Top::kFinite};
inline constexpr Format kE2m3{2, 3, Top::kFinite};
inline constexpr Format kE2m1{2, 1, Top::kFinite};

enum class Rounding {
  kNearestEven,  // .rn
  kZero,         // .rz
  kDown,         // .rm
  kUp,           // .rp
  kNearestAway,  // .rna
  kStochastic    // .rs, with Round::random
};

struct Round {
  Rounding rounding = Rounding::kNearestEven;
  bool satfinite = false;  // too large becomes the largest finite value instead of infinity
  uint32_t random = 0;     // .rs: added to the dropped bits, which are aligned to the same width
  int random_bits = 0;
};

/// value = (-1)^negative * significand * 2^(exponent - 126), 2^126 <= significand < 2^127.
/// The lowest bit of a significand may stand for "and something below it" (sticky).
struct Number {
  enum Kind { kZero, kFinite, kInfinite, kNan };
  Kind kind = kZero;
  bool negative = false;
  int exponent = 0;
  uint128 significand = 0;
};

inline constexpr int kLeadingBit = 126;

[[nodiscard]] Number unpack(Format format, uint64_t bits);

/// significand * 2^exponent, any significand; zero gives a zero of that sign.
[[nodiscard]] Number make_number(bool negative, int exponent, uint128 significand);

/// The value in `format`. NaN gives canonical_nan(format).
[[nodiscard]] uint64_t pack(Format format, const Number& number, Round round = {});

/// 0x7fff, 0x7fffffff (PTX ISA, "canonical NaN"); f64: 0xfff8000000000000, what the
/// double-precision unit answers to an invalid operation. A format without NaN gives its largest
/// value.
[[nodiscard]] uint64_t canonical_nan(Format format);

[[nodiscard]] uint64_t largest_finite(Format format);
[[nodiscard]] uint64_t infinity(Format format);

[[nodiscard]] bool is_nan(Format format, uint64_t bits);
[[nodiscard]] bool is_subnormal(Format format, uint64_t bits);

/// A subnormal becomes a zero of its sign; everything else stays.
[[nodiscard]] uint64_t flush(Format format, uint64_t bits);

/// significand / 2^n, with every bit shifted out remembered in the lowest one.
[[nodiscard]] uint128 shift_right_sticky(uint128 significand, int n);

}  // namespace warpledger::numeric
