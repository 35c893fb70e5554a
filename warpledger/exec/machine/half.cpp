// Half precision: two numbers in a register.
#include "warpledger/exec/machine/compare.h"
#include "warpledger/exec/machine/table.h"
#include "warpledger/exec/numeric/convert.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;
using numeric::Format;

Format format_of(const Instruction& instruction) {
  return instruction.has(M::kBF16V2) ? numeric::kBf16 : numeric::kF16;
}

/// Number `half` (0: lower) of an operand, with its selector and signs. F32 operands are rounded
/// nowhere: only those of HADD2.F32 have them, and are zero.
uint64_t half_of(Lane& lane, const Operand& operand, int half) {
  const uint32_t word = lane.word(operand);
  if (operand.selector == "H1_H1") half = 1;
  if (operand.selector == "H0_H0") half = 0;
  uint64_t value = word >> (16 * half) & 0xffff;
  if (operand.kind == OperandKind::kImmediate) return value;
  if (operand.absolute) value &= 0x7fff;
  return operand.negated ? value ^ 0x8000 : value;
}

/// f(half) for both halves, packed.
template <class F>
uint32_t both(F f) {
  return static_cast<uint32_t>((f(0) & 0xffff) | (f(1) & 0xffff) << 16);
}

}  // namespace

/// .F32 widens the sum of the lower halves: ptxas adds -0 with it.
void add_half(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const Format format = format_of(instruction);
  const numeric::Mode mode = mode_of(instruction.modifiers);
  if (instruction.has(M::kF32)) {
    const auto wide = [&](size_t i) {
      return numeric::convert(numeric::kF32, format, half_of(lane, operands[i], 0));
    };
    return lane.set(operands[0],
                    static_cast<uint32_t>(numeric::add(numeric::kF32, wide(1), wide(2), mode)));
  }
  lane.set(operands[0], both([&](int half) {
             return numeric::add(format, half_of(lane, operands[1], half),
                                 half_of(lane, operands[2], half), mode);
           }));
}

void multiply_half(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0], both([&](int half) {
             return numeric::mul(format_of(instruction), half_of(lane, operands[1], half),
                                 half_of(lane, operands[2], half), mode_of(instruction.modifiers));
           }));
}

void fuse_half(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  lane.set(operands[0], both([&](int half) {
             return numeric::fma(format_of(instruction), half_of(lane, operands[1], half),
                                 half_of(lane, operands[2], half), half_of(lane, operands[3], half),
                                 mode_of(instruction.modifiers));
           }));
}

void extreme_half(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const numeric::Extreme mode{.ftz = instruction.has(M::kFTZ), .nan = instruction.has(M::kNAN)};
  const bool is_min = lane.predicate(operands[3]);
  lane.set(operands[0], both([&](int half) {
             const uint64_t a = half_of(lane, operands[1], half);
             const uint64_t b = half_of(lane, operands[2], half);
             return is_min ? numeric::min(format_of(instruction), a, b, mode)
                           : numeric::max(format_of(instruction), a, b, mode);
           }));
}

namespace {

bool half_compares(Lane& lane, const Instruction& instruction, size_t at, int half) {
  const auto order =
      numeric::compare(format_of(instruction), half_of(lane, instruction.operands[at], half),
                       half_of(lane, instruction.operands[at + 1], half));
  return holds(comparison_of(instruction.modifiers), order);
}

bool combine(const Instruction& instruction, bool result, bool other) {
  if (instruction.has(M::kOR)) return result || other;
  return instruction.has(M::kXOR) ? result != other : result && other;
}

}  // namespace

void compare_half(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool other = lane.predicate(operands[4]);
  const bool low = combine(instruction, half_compares(lane, instruction, 2, 0), other);
  const bool high = combine(instruction, half_compares(lane, instruction, 2, 1), other);
  lane.set_predicate(operands[0], low);
  lane.set_predicate(operands[1], high);
}

/// All ones, or 1.0 with .BF, in each half.
void set_half(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const uint64_t one = instruction.has(M::kBF16V2) ? 0x3f80 : 0x3c00;
  lane.set(operands[0], both([&](int half) -> uint64_t {
             const bool result = combine(instruction, half_compares(lane, instruction, 1, half),
                                         lane.predicate(operands[3]));
             return result ? (instruction.has(M::kBF) ? one : 0xffff) : 0;
           }));
}

}  // namespace warpledger::exec::machine
