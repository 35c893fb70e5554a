#include "warpledger/exec/numeric/convert.h"

#include <algorithm>

namespace warpledger::numeric {
namespace {

uint64_t low_bits(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }

int128 lowest(Integer type) { return type.is_signed ? -(int128{1} << (type.bits - 1)) : 0; }
int128 highest(Integer type) {
  return (int128{1} << (type.is_signed ? type.bits - 1 : type.bits)) - 1;
}

int128 value_of(Integer type, uint64_t value) {
  const uint64_t wide = extend(type, value);
  return type.is_signed ? int128{static_cast<int64_t>(wide)} : int128{wide};
}

uint64_t clamp_to(Integer type, int128 value) {
  return static_cast<uint64_t>(std::clamp(value, lowest(type), highest(type)));
}

// The integer nearest to a finite number by the rounding, when its magnitude is below 2^100.
int128 integral(const Number& number, Rounding rounding) {
  if (number.kind == Number::kZero) return 0;
  // A format whose last place is 1 at any magnitude of interest: keep `exponent` + 1 bits.
  const int drop = kLeadingBit - number.exponent;
  const uint128 rest =
      drop >= 128 ? number.significand : number.significand & ((uint128{1} << drop) - 1);
  uint128 kept = drop >= 128 ? 0 : number.significand >> drop;
  const bool above_half = drop < 128 && rest > (uint128{1} << (drop - 1));
  const bool half = drop < 128 && rest == (uint128{1} << (drop - 1));
  const bool up =
      (rounding == Rounding::kNearestEven && (above_half || (half && (kept & 1) != 0))) ||
      (rounding == Rounding::kDown && number.negative && rest != 0) ||
      (rounding == Rounding::kUp && !number.negative && rest != 0);
  if (up) ++kept;
  return number.negative ? -static_cast<int128>(kept) : static_cast<int128>(kept);
}

Number number_of(int128 value) {
  const bool negative = value < 0;
  return make_number(negative, 0, static_cast<uint128>(negative ? -value : value));
}

uint64_t finish(Format to, uint64_t bits, const Conversion& how) {
  if (how.ftz && to == kF32) bits = flush(to, bits);
  if (how.sat) bits = clamp_unit(to, bits);
  if (how.relu) bits = relu(to, bits);
  return bits;
}

}  // namespace

uint64_t extend(Integer type, uint64_t value) {
  if (type.bits >= 64) return value;
  value &= low_bits(type.bits);
  const bool negative = type.is_signed && (value >> (type.bits - 1)) != 0;
  return negative ? value | ~low_bits(type.bits) : value;
}

uint64_t convert_integer(Integer to, Integer from, uint64_t value, bool sat) {
  return sat ? clamp_to(to, value_of(from, value)) : extend(to, extend(from, value));
}

uint64_t convert(Format to, Format from, uint64_t bits, Conversion how) {
  if (how.ftz && from == kF32) bits = flush(from, bits);
  const Number number = unpack(from, bits);
  if (number.kind == Number::kNan) return how.sat ? 0 : canonical_nan(to);
  return finish(to, pack(to, number, how.round), how);
}

uint64_t to_tf32(uint64_t f32, Conversion how) { return convert(kTf32, kF32, f32, how) << 13; }

uint64_t round_to_integral(Format format, uint64_t bits, Rounding rounding) {
  const Number number = unpack(format, bits);
  if (number.kind == Number::kNan) return canonical_nan(format);
  if (number.kind != Number::kFinite || number.exponent >= format.fraction_bits) return bits;
  const int128 value = integral(number, rounding);
  const uint64_t sign = bits & format.sign_bit();
  return value == 0 ? sign : pack(format, number_of(value));
}

uint64_t to_integer(Integer to, Format from, uint64_t bits, Rounding rounding) {
  const Number number = unpack(from, bits);
  if (number.kind == Number::kNan) {
    return to.bits == 64 || from == kF64 ? uint64_t{1} << (to.bits - 1) : 0;
  }
  const bool huge =
      number.kind == Number::kInfinite || (number.kind == Number::kFinite && number.exponent >= 70);
  if (huge) return static_cast<uint64_t>(number.negative ? lowest(to) : highest(to));
  return clamp_to(to, integral(number, rounding));
}

uint64_t from_integer(Format to, Integer from, uint64_t value, Conversion how) {
  return finish(to, pack(to, number_of(value_of(from, value)), how.round), how);
}

uint64_t to_ue8m0(uint64_t f32, Rounding rounding, bool satfinite) {
  const Number number = unpack(kF32, f32);
  constexpr uint64_t kNanCode = 0xff, kLargest = 0xfe;
  if (number.kind == Number::kNan) return kNanCode;
  if (number.kind == Number::kInfinite) return satfinite ? kLargest : kNanCode;
  if (number.kind == Number::kZero) return 0;
  const bool power = number.significand == uint128{1} << kLeadingBit;
  const int exponent = number.exponent + (rounding == Rounding::kUp && !power ? 1 : 0);
  if (exponent + 127 > 254) return satfinite ? kLargest : kNanCode;
  return static_cast<uint64_t>(std::max(exponent + 127, 0));
}

uint64_t from_ue8m0_to_bf16(uint64_t code) {
  if (code == 0xff) return canonical_nan(kBf16);
  return pack(kBf16, make_number(false, static_cast<int>(code) - 127, 1));
}

}  // namespace warpledger::numeric
