// Conversions: between floating-point formats, and between floating point and integers.
#pragma once

#include "warpledger/exec/numeric/arithmetic.h"

namespace warpledger::numeric {

struct Conversion {
  Round round = {};
  bool ftz = false;  // f32 operands and results
  bool sat = false;  // float: clamp to [0, 1]
  bool relu = false;
};

/// `bits` of format `from` in format `to`. A NaN becomes canonical; f64 to f64 is not converted.
[[nodiscard]] uint64_t convert(Format to, Format from, uint64_t bits, Conversion how = {});

/// The nearest integral value in the same format (cvt.rni.f32.f32).
[[nodiscard]] uint64_t round_to_integral(Format format, uint64_t bits, Rounding rounding);

/// f32 to tf32 in a 32-bit register.
[[nodiscard]] uint64_t to_tf32(uint64_t f32, Conversion how);

/// An integer type: 8, 16, 32 or 64 bits.
struct Integer {
  int bits;
  bool is_signed;
};

/// Rounds, then clamps to the integer's range. NaN gives 0, but 2^(bits-1) when either side has 64
/// bits (PTX ISA, cvt).
[[nodiscard]] uint64_t to_integer(Integer to, Format from, uint64_t bits, Rounding rounding);

/// `value` holds the integer in its low bits.
[[nodiscard]] uint64_t from_integer(Format to, Integer from, uint64_t value, Conversion how = {});

/// Sign or zero extension to 64 bits.
[[nodiscard]] uint64_t extend(Integer type, uint64_t value);

/// To an integer of another size; `sat` clamps, otherwise the low bits are kept. The result is
/// extended to 64 bits by the destination's sign.
[[nodiscard]] uint64_t convert_integer(Integer to, Integer from, uint64_t value, bool sat);

/// f32 to a power of two (ue8m0, an exponent code alone): rounded to zero or up, of the magnitude.
/// NaN gives 0xff; a negative value counts with its magnitude.
[[nodiscard]] uint64_t to_ue8m0(uint64_t f32, Rounding rounding, bool satfinite);
/// 2^(code - 127) as bf16; 0xff is NaN.
[[nodiscard]] uint64_t from_ue8m0_to_bf16(uint64_t code);

}  // namespace warpledger::numeric
