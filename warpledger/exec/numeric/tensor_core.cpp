#include "warpledger/exec/numeric/tensor_core.h"

#include <algorithm>
#include <vector>

#include "warpledger/exec/numeric/arithmetic.h"

namespace warpledger::numeric {
namespace {

constexpr int kMostAddends = 33;  // a block of at most 32 products, and C
constexpr int kFactorBit = 31;    // of a factor's significand: 2^0
constexpr int kAddendBit = 62;    // of an addend's

/// (-1)^negative * significand * 2^(exponent - 62), not normalized.
struct Addend {
  Number::Kind kind = Number::kZero;
  bool negative = false;
  int exponent = 0;
  uint64_t significand = 0;
};

Addend widened(const Factor& c) {
  return {c.kind, c.negative, c.exponent, uint64_t{c.significand} << (kAddendBit - kFactorBit)};
}

Addend product(const Factor& a, const Factor& b) {
  Addend result{.negative = a.negative != b.negative};
  const bool zero = a.kind == Number::kZero || b.kind == Number::kZero;
  const bool infinite = a.kind == Number::kInfinite || b.kind == Number::kInfinite;
  if (a.kind == Number::kNan || b.kind == Number::kNan || (zero && infinite)) {
    result.kind = Number::kNan;
  } else if (infinite) {
    result.kind = Number::kInfinite;
  } else if (!zero) {
    result.kind = Number::kFinite;
    result.exponent = a.exponent + b.exponent;
    result.significand = uint64_t{a.significand} * b.significand;
  }
  return result;
}

// The sum of the addends as an infinity or NaN, or kZero when all are finite.
Number special_sum(std::span<const Addend> addends) {
  Number result{.kind = Number::kZero};
  for (const Addend& addend : addends) {
    if (addend.kind == Number::kNan) return {.kind = Number::kNan};
    if (addend.kind != Number::kInfinite) continue;
    if (result.kind == Number::kInfinite && result.negative != addend.negative) {
      return {.kind = Number::kNan};
    }
    result = {.kind = Number::kInfinite, .negative = addend.negative};
  }
  return result;
}

// Aligned to the largest exponent, cut at `fraction_bits` below it, summed exactly.
Number aligned_sum(std::span<const Addend> addends, int fraction_bits) {
  bool any = false;
  int top = 0;
  for (const Addend& addend : addends) {
    if (addend.kind != Number::kFinite) continue;
    top = any ? std::max(top, addend.exponent) : addend.exponent;
    any = true;
  }
  if (!any) {
    const bool all_negative =
        std::all_of(addends.begin(), addends.end(), [](const Addend& n) { return n.negative; });
    return {.kind = Number::kZero, .negative = all_negative};
  }
  int64_t sum = 0;
  for (const Addend& addend : addends) {
    if (addend.kind != Number::kFinite) continue;
    const int drop = kAddendBit - fraction_bits + (top - addend.exponent);
    const auto kept = drop >= 64 ? int64_t{0} : static_cast<int64_t>(addend.significand >> drop);
    sum += addend.negative ? -kept : kept;
  }
  const bool negative = sum < 0;
  return make_number(negative, top - fraction_bits, static_cast<uint128>(negative ? -sum : sum));
}

Number sum_block(std::span<const Addend> addends, int fraction_bits) {
  const Number special = special_sum(addends);
  return special.kind == Number::kZero ? aligned_sum(addends, fraction_bits) : special;
}

/// D's format: what C is read as, and what a block's sum becomes.
struct Accumulator {
  Format format;
  int result_bits;

  [[nodiscard]] uint64_t round(Number sum) const {
    if (format == kF16) return pack(kF16, sum);
    if (sum.kind == Number::kNan) return canonical_nan(kF32);
    if (sum.kind == Number::kFinite && sum.exponent > kF32.bias()) sum.kind = Number::kInfinite;
    const Format cut{kF32.exponent_bits, result_bits};
    return pack(cut, sum, {.rounding = Rounding::kZero}) << (kF32.fraction_bits - result_bits);
  }
};

uint64_t sum_blocks(const TensorCore& core, const Accumulator& accumulator,
                    std::span<const Addend> products, size_t block, uint64_t c) {
  for (size_t start = 0; start < products.size(); start += block) {
    Addend addends[kMostAddends];
    const auto some = products.subspan(start, std::min(block, products.size() - start));
    addends[0] = widened(unpack_factor(accumulator.format, c));
    std::copy(some.begin(), some.end(), addends + 1);
    c = accumulator.round(sum_block({addends, some.size() + 1}, core.fraction_bits));
  }
  return c;
}

uint64_t dot(const TensorCore& core, const Accumulator& accumulator, std::span<const Factor> a,
             std::span<const Factor> b, uint64_t c) {
  std::vector<Addend> products;
  products.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (!core.by_f16 || i % 4 < 2) products.push_back(product(a[i], b[i]));
  }
  if (!core.by_f16)
    return sum_blocks(core, accumulator, products, static_cast<size_t>(core.block), c);
  const size_t block = products.size();
  for (size_t i = 0; i < a.size(); ++i) {
    if (i % 4 >= 2) products.push_back(product(a[i], b[i]));
  }
  const uint64_t sum = sum_blocks(core, accumulator, products, block, 0);
  return add(accumulator.format, c, sum);
}

}  // namespace

TensorCore tensor_core(int arch, Format format) {
  if (arch < 75) return {.block = 4, .fraction_bits = 23};
  if (arch < 80) return {.block = 8, .fraction_bits = 24};
  const int bits = arch < 90 ? 24 : 25;
  if (format.bits() > 8) {
    const int block = arch < 90 ? 8 : 16;
    return {.block = format == kTf32 ? block / 2 : block, .fraction_bits = bits};
  }
  if (arch < 90) return {.block = 16, .fraction_bits = 13, .result_bits = 13};
  if (arch < 120) return {.block = 16, .fraction_bits = bits, .by_f16 = true};
  return {.block = 32, .fraction_bits = bits};
}

Factor unpack_factor(Format format, uint64_t bits) {
  const Number number = unpack(format, bits);
  Factor factor{.kind = number.kind, .negative = number.negative};
  if (number.kind != Number::kFinite) return factor;
  factor.exponent = std::max(number.exponent, 1 - format.bias());
  factor.significand = static_cast<uint32_t>(
      number.significand >> (kLeadingBit - kFactorBit + factor.exponent - number.exponent));
  return factor;
}

uint32_t dot_f32(const TensorCore& core, std::span<const Factor> a, std::span<const Factor> b,
                 uint32_t c) {
  return static_cast<uint32_t>(dot(core, {kF32, core.result_bits}, a, b, c));
}

uint16_t dot_f16(const TensorCore& core, std::span<const Factor> a, std::span<const Factor> b,
                 uint16_t c) {
  return static_cast<uint16_t>(dot(core, {kF16, kF16.fraction_bits}, a, b, c));
}

}  // namespace warpledger::numeric
