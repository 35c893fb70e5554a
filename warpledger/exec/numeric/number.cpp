#include "warpledger/exec/numeric/number.h"

#include <bit>

namespace warpledger::numeric {
namespace {

int leading_bit(uint128 value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  if (high != 0) return 127 - std::countl_zero(high);
  return 63 - std::countl_zero(static_cast<uint64_t>(value));
}

// The dropped part of a significand: `rest` of `drop` bits, kept part odd or even.
struct Dropped {
  uint128 rest = 0;
  uint128 half = 0;  // 0: beyond 128 bits, so `rest` is below half
  bool odd = false;
  int drop = 0;
};

bool rounds_up_stochastically(const Dropped& dropped, const Round& round) {
  if (dropped.drop <= round.random_bits) {
    const uint128 wide = dropped.rest << (round.random_bits - dropped.drop);
    return ((wide + round.random) >> round.random_bits) != 0;
  }
  const int narrow = dropped.drop - round.random_bits;
  const uint128 top = narrow >= 128 ? 0 : dropped.rest >> narrow;
  return ((top + round.random) >> round.random_bits) != 0;
}

bool rounds_up(const Dropped& dropped, bool negative, const Round& round) {
  const bool above = dropped.half != 0 && dropped.rest > dropped.half;
  const bool tie = dropped.half != 0 && dropped.rest == dropped.half;
  switch (round.rounding) {
    case Rounding::kNearestEven:
      return above || (tie && dropped.odd);
    case Rounding::kNearestAway:
      return above || tie;
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative && dropped.rest != 0;
    case Rounding::kUp:
      return !negative && dropped.rest != 0;
    case Rounding::kStochastic:
      return rounds_up_stochastically(dropped, round);
  }
  return false;
}

uint64_t overflowed(Format format, bool negative, const Round& round) {
  const bool to_largest = round.satfinite || format.top == Top::kFinite ||
                          round.rounding == Rounding::kZero ||
                          (round.rounding == Rounding::kDown && !negative) ||
                          (round.rounding == Rounding::kUp && negative);
  const uint64_t magnitude = to_largest ? largest_finite(format) : infinity(format);
  return magnitude | (negative ? format.sign_bit() : 0);
}

uint64_t pack_finite(Format format, const Number& number, const Round& round) {
  const int lowest = 1 - format.bias();
  const bool subnormal = number.exponent < lowest;
  const int drop = kLeadingBit - format.fraction_bits + (subnormal ? lowest - number.exponent : 0);
  Dropped dropped{.drop = drop};
  uint64_t kept = 0;
  if (drop < 128) {
    kept = static_cast<uint64_t>(number.significand >> drop);
    dropped.rest = number.significand & ((uint128{1} << drop) - 1);
    dropped.half = uint128{1} << (drop - 1);
  } else {
    dropped.rest = number.significand;
    dropped.half = drop == 128 ? uint128{1} << 127 : 0;
  }
  dropped.odd = (kept & 1) != 0;
  if (rounds_up(dropped, number.negative, round)) ++kept;
  // A carry out of the fraction runs into the exponent, which is what it should do.
  const uint64_t code = subnormal ? 0 : static_cast<uint64_t>(number.exponent - lowest);
  const uint128 magnitude = (uint128{code} << format.fraction_bits) + kept;
  if (magnitude > largest_finite(format)) return overflowed(format, number.negative, round);
  return static_cast<uint64_t>(magnitude) | (number.negative ? format.sign_bit() : 0);
}

}  // namespace

uint64_t canonical_nan(Format format) {
  if (format == kF64) return 0xfff8000000000000;
  if (format.top == Top::kFinite) return largest_finite(format);
  if (format == kTf32) return (format.sign_bit() - 1);
  return format.sign_bit() - 1;
}

uint64_t largest_finite(Format format) {
  const uint64_t all = format.sign_bit() - 1;
  if (format.top == Top::kFinite) return all;
  if (format.top == Top::kOneNan) return all - 1;
  return infinity(format) - 1;
}

uint64_t infinity(Format format) {
  return format.top == Top::kInfinityAndNan ? format.exponent_mask() : canonical_nan(format);
}

bool is_nan(Format format, uint64_t bits) {
  const uint64_t magnitude = bits & (format.sign_bit() - 1);
  if (format.top == Top::kFinite) return false;
  if (format.top == Top::kOneNan) return magnitude == format.sign_bit() - 1;
  return magnitude > format.exponent_mask();
}

bool is_subnormal(Format format, uint64_t bits) {
  return (bits & format.exponent_mask()) == 0 && (bits & format.fraction_mask()) != 0;
}

uint64_t flush(Format format, uint64_t bits) {
  return is_subnormal(format, bits) ? bits & format.sign_bit() : bits;
}

uint128 shift_right_sticky(uint128 significand, int n) {
  if (n <= 0) return significand;
  if (n >= 128) return significand != 0 ? 1 : 0;
  const uint128 lost = significand & ((uint128{1} << n) - 1);
  return (significand >> n) | (lost != 0 ? 1 : 0);
}

Number make_number(bool negative, int exponent, uint128 significand) {
  if (significand == 0) return {.kind = Number::kZero, .negative = negative};
  const int top = leading_bit(significand);
  Number number{.kind = Number::kFinite, .negative = negative, .exponent = exponent + top};
  number.significand = top > kLeadingBit ? shift_right_sticky(significand, top - kLeadingBit)
                                         : significand << (kLeadingBit - top);
  return number;
}

Number unpack(Format format, uint64_t bits) {
  const bool negative = (bits & format.sign_bit()) != 0;
  const uint64_t fraction = bits & format.fraction_mask();
  const auto code = static_cast<int>((bits & format.exponent_mask()) >> format.fraction_bits);
  if (is_nan(format, bits)) return {.kind = Number::kNan, .negative = negative};
  if (format.top == Top::kInfinityAndNan &&
      (bits & format.exponent_mask()) == format.exponent_mask())
    return {.kind = Number::kInfinite, .negative = negative};
  const int exponent = (code == 0 ? 1 : code) - format.bias() - format.fraction_bits;
  const uint64_t hidden = code == 0 ? 0 : uint64_t{1} << format.fraction_bits;
  return make_number(negative, exponent, fraction | hidden);
}

uint64_t pack(Format format, const Number& number, Round round) {
  const uint64_t sign = number.negative ? format.sign_bit() : 0;
  switch (number.kind) {
    case Number::kZero:
      return sign;
    case Number::kNan:
      return canonical_nan(format);
    case Number::kInfinite:
      return sign | (round.satfinite ? largest_finite(format) : infinity(format));
    case Number::kFinite:
      return pack_finite(format, number, round);
  }
  return 0;
}

}  // namespace warpledger::numeric
