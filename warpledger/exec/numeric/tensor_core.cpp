#include "warpledger/exec/numeric/tensor_core.h"

#include <algorithm>

#include "warpledger/exec/numeric/arithmetic.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::numeric {
namespace {

constexpr int kMostAddends = 33;  // a block of at most 32 products, and C

// The sum of the addends as an infinity or NaN, or kZero when all are finite.
Number special_sum(std::span<const Number> addends) {
  Number result{.kind = Number::kZero};
  for (const Number& addend : addends) {
    if (addend.kind == Number::kNan) return addend;
    if (addend.kind != Number::kInfinite) continue;
    if (result.kind == Number::kInfinite && result.negative != addend.negative) {
      return {.kind = Number::kNan};
    }
    result = addend;
  }
  return result;
}

// Aligned to the largest exponent, cut at `fraction_bits` below it, summed exactly.
Number aligned_sum(std::span<const Number> addends, int fraction_bits) {
  bool any = false;
  int top = 0;
  for (const Number& addend : addends) {
    if (addend.kind != Number::kFinite) continue;
    top = any ? std::max(top, addend.exponent) : addend.exponent;
    any = true;
  }
  if (!any) {
    const bool all_negative =
        std::all_of(addends.begin(), addends.end(), [](const Number& n) { return n.negative; });
    return {.kind = Number::kZero, .negative = all_negative};
  }
  int128 sum = 0;
  for (const Number& addend : addends) {
    if (addend.kind != Number::kFinite) continue;
    const int drop = kLeadingBit - fraction_bits + (top - addend.exponent);
    const auto kept = drop >= 128 ? int128{0} : static_cast<int128>(addend.significand >> drop);
    sum += addend.negative ? -kept : kept;
  }
  const bool negative = sum < 0;
  return make_number(negative, top - fraction_bits, static_cast<uint128>(negative ? -sum : sum));
}

Number sum_block(std::span<const Number> addends, int fraction_bits) {
  const Number special = special_sum(addends);
  return special.kind == Number::kZero ? aligned_sum(addends, fraction_bits) : special;
}

Number dot(const TensorCore& core, std::span<const Number> a, std::span<const Number> b, Number c) {
  const auto block = static_cast<size_t>(core.block);
  for (size_t start = 0; start < a.size(); start += block) {
    Number addends[kMostAddends];
    size_t count = 0;
    addends[count++] = c;
    for (size_t i = start; i < std::min(start + block, a.size()); ++i) {
      addends[count++] = mul_exact(a[i], b[i]);
    }
    const Number sum = sum_block({addends, count}, core.fraction_bits);
    c = unpack(kF32, pack(kF32, sum, {.rounding = Rounding::kZero}));
  }
  return c;
}

}  // namespace

TensorCore tensor_core(int arch, Format format) {
  const bool eight_bits = format.bits() <= 8;
  if (arch < 75) return {.block = 4, .fraction_bits = 23};
  if (arch < 80) return {.block = 4, .fraction_bits = 24};
  if (eight_bits && arch < 100) return {.block = 16, .fraction_bits = 13};
  if (format == kTf32) return {.block = arch < 90 ? 4 : 8, .fraction_bits = arch < 90 ? 24 : 25};
  if (arch < 90) return {.block = 8, .fraction_bits = 24};
  return {.block = eight_bits ? 32 : 16, .fraction_bits = 25};
}

uint32_t dot_f32(const TensorCore& core, std::span<const Number> a, std::span<const Number> b,
                 uint32_t c) {
  const Number sum = dot(core, a, b, unpack(kF32, c));
  return static_cast<uint32_t>(pack(kF32, sum, {.rounding = Rounding::kZero}));
}

uint16_t dot_f16(const TensorCore& core, std::span<const Number> a, std::span<const Number> b,
                 uint16_t c) {
  return static_cast<uint16_t>(pack(kF16, dot(core, a, b, unpack(kF16, c))));
}

}  // namespace warpledger::numeric
