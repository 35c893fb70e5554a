// Floating-point arithmetic of machine code, of 32 and 64 bits.
#include <cmath>
#include <cstring>

#include "warpledger/exec/machine/compare.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/numeric/approximate.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;
using numeric::kF32;
using numeric::kF64;

constexpr uint32_t kExponentAt = 23, kExponentMask = 255;

uint32_t word_of(uint64_t value) { return static_cast<uint32_t>(value); }

/// The nearest f32 of sin or cos of a whole turn times `turns`.
uint32_t of_turns(uint32_t turns, bool is_sine) {
  float value = 0;
  std::memcpy(&value, &turns, sizeof value);
  if (!std::isfinite(value)) return word_of(numeric::canonical_nan(kF32));
  const double angle = 6.283185307179586476925 * static_cast<double>(value);
  const auto result = static_cast<float>(is_sine ? std::sin(angle) : std::cos(angle));
  uint32_t bits = 0;
  std::memcpy(&bits, &result, sizeof bits);
  return word_of(numeric::flush(kF32, bits));
}

bool f32_compares(Lane& lane, const Instruction& instruction, size_t at) {
  const auto order =
      numeric::compare(kF32, lane.f32(instruction.operands[at]),
                       lane.f32(instruction.operands[at + 1]), instruction.has(M::kFTZ));
  return holds(comparison_of(instruction.modifiers), order);
}

}  // namespace

void add_f32(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0], word_of(numeric::add(kF32, lane.f32(operands[1]), lane.f32(operands[2]),
                                             mode_of(instruction.modifiers))));
}

void multiply_f32(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0], word_of(numeric::mul(kF32, lane.f32(operands[1]), lane.f32(operands[2]),
                                             mode_of(instruction.modifiers))));
}

void fuse_f32(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0],
           word_of(numeric::fma(kF32, lane.f32(operands[1]), lane.f32(operands[2]),
                                lane.f32(operands[3]), mode_of(instruction.modifiers))));
}

void extreme_f32(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const numeric::Extreme mode{.ftz = instruction.has(M::kFTZ), .nan = instruction.has(M::kNAN)};
  const uint32_t a = lane.f32(operands[1]), b = lane.f32(operands[2]);
  lane.set(operands[0], word_of(lane.predicate(operands[3]) ? numeric::min(kF32, a, b, mode)
                                                            : numeric::max(kF32, a, b, mode)));
}

/// The smallest (largest) of three.
void extreme3_f32(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const numeric::Extreme mode{.ftz = instruction.has(M::kFTZ), .nan = instruction.has(M::kNAN)};
  const bool is_min = lane.predicate(operands[4]);
  const auto of = [&](uint32_t a, uint32_t b) {
    return word_of(is_min ? numeric::min(kF32, a, b, mode) : numeric::max(kF32, a, b, mode));
  };
  lane.set(operands[0],
           of(of(lane.f32(operands[1]), lane.f32(operands[2])), lane.f32(operands[3])));
}

void compare_f32(Lane& lane, const Instruction& instruction) {
  set_combined(lane, instruction, f32_compares(lane, instruction, 2));
}

/// A comparison into a register: all ones, or 1.0 with .BF.
void set_f32(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool result = f32_compares(lane, instruction, 1), other = lane.predicate(operands[3]);
  const bool combined = instruction.has(M::kOR)    ? result || other
                        : instruction.has(M::kXOR) ? result != other
                                                   : result && other;
  const uint32_t yes = instruction.has(M::kBF) ? 0x3f80'0000 : ~0U;
  lane.set(operands[0], combined ? yes : 0);
}

/// Whether a / b needs the slow path. NVIDIA does not publish the rule; this one sends every
/// quotient there whose exponents come near an end, and values do not depend on it.
void check_division(Lane& lane, const Instruction& instruction) {
  const auto exponent = [&](size_t i) {
    return static_cast<int>(lane.f32(instruction.operands[i]) >> kExponentAt & kExponentMask);
  };
  constexpr int kFewest = 24, kMost = 253, kApart = 125;
  const int a = exponent(1), b = exponent(2);
  const bool is_slow = a <= kFewest || a == static_cast<int>(kExponentMask) || b == 0 ||
                       b >= kMost || a - b > kApart || b - a >= kApart;
  lane.set_predicate(instruction.operands[0], is_slow);
}

/// The nearest value, as PTX's approximate functions answer here; operands and results that are
/// subnormal count as zero.
void approximate(Lane& lane, const Instruction& instruction) {
  const uint32_t a = lane.f32(instruction.operands[1]);
  const auto answer = [&]() -> uint32_t {
    switch (instruction.modifiers.list()[0]) {
      case M::kRCP:
        return numeric::rcp_approx(a, true);
      case M::kRSQ:
        return numeric::rsqrt_approx(a, true);
      case M::kSQRT:
        return numeric::sqrt_approx(a, true);
      case M::kEX2:
        return numeric::ex2_approx(a, true);
      case M::kLG2:
        return numeric::lg2_approx(a, true);
      case M::kTANH:
        return numeric::tanh_approx(a);
      case M::kSIN:
        return of_turns(a, true);
      case M::kCOS:
        return of_turns(a, false);
      case M::kRCP64H:
        return word_of(numeric::rcp_approx_f64(uint64_t{a} << 32) >> 32);
      default:
        return word_of(numeric::rsqrt_approx_ftz_f64(uint64_t{a} << 32) >> 32);
    }
  };
  lane.set(instruction.operands[0], answer());
}

void add_f64(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set_pair(operands[0], numeric::add(kF64, lane.f64(operands[1]), lane.f64(operands.back()),
                                          mode_of(instruction.modifiers)));
}

void multiply_f64(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set_pair(operands[0], numeric::mul(kF64, lane.f64(operands[1]), lane.f64(operands[2]),
                                          mode_of(instruction.modifiers)));
}

void fuse_f64(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set_pair(operands[0], numeric::fma(kF64, lane.f64(operands[1]), lane.f64(operands[2]),
                                          lane.f64(operands[3]), mode_of(instruction.modifiers)));
}

/// .MIN and .MAX: whether the first operand is the answer; the second result says that both are
/// NaN.
void compare_f64(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const uint64_t a = lane.f64(operands[2]), b = lane.f64(operands[3]);
  const auto order = numeric::compare(kF64, a, b);
  const bool is_min = instruction.has(M::kMIN);
  if (!is_min && !instruction.has(M::kMAX))
    return set_combined(lane, instruction, holds(comparison_of(instruction.modifiers), order));
  const bool a_is_nan = numeric::is_nan(kF64, a), b_is_nan = numeric::is_nan(kF64, b);
  bool takes_a = order == (is_min ? numeric::Order::kLess : numeric::Order::kGreater);
  if (order == numeric::Order::kEqual) takes_a = (a >> 63 != 0) == is_min;
  if (order == numeric::Order::kUnordered) takes_a = !a_is_nan;
  const bool other = lane.predicate(operands[4]);
  lane.set_predicate(operands[0], takes_a && other);
  lane.set_predicate(operands[1], a_is_nan && b_is_nan && other);
}

}  // namespace warpledger::exec::machine
