// Two f32 at once: FADD2, FMUL2 and FFMA2. An operand is a pair of registers (.F32x2.HI_LO), the
// same with its halves exchanged (.F32x2.LO_HI), or one number for both (.F32, an immediate).
#include <array>

#include "warpledger/exec/machine/compare.h"
#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {
namespace {

using numeric::kF32;

constexpr uint32_t kSign = 0x8000'0000;

uint32_t half_of(Lane& lane, const Instruction& instruction, const Operand& operand, int half) {
  const bool is_one = operand.kind == OperandKind::kImmediate || operand.selector == "F32" ||
                      operand.index == kZeroRegister;
  if (!is_one && operand.selector == "F32x2.LO_HI") half = 1 - half;
  if (!is_one && !operand.selector.starts_with("F32x2."))
    lane.context().stop(instruction.text + " has an operand that is not known",
                        "unsupported-opcode");
  uint32_t value = lane.word(operand, is_one ? 0 : half);
  if (operand.kind == OperandKind::kImmediate) return value;
  if (operand.absolute) value &= ~kSign;
  return operand.negated ? value ^ kSign : value;
}

/// Sets both halves to f(of the operands' halves).
template <class F>
void set_halves(Lane& lane, const Instruction& instruction, F f) {
  const auto& operands = instruction.operands;
  std::array<uint32_t, 2> results = {};
  for (int half = 0; half < 2; ++half)
    results[static_cast<size_t>(half)] = static_cast<uint32_t>(
        f([&](size_t i) { return half_of(lane, instruction, operands[i], half); }));
  for (int half = 0; half < 2; ++half)
    lane.set(operands[0], results[static_cast<size_t>(half)], half);
}

}  // namespace

void add_pair(Lane& lane, const Instruction& instruction) {
  set_halves(lane, instruction, [&](auto of) {
    return numeric::add(kF32, of(1), of(2), mode_of(instruction.modifiers));
  });
}

void multiply_pair(Lane& lane, const Instruction& instruction) {
  set_halves(lane, instruction, [&](auto of) {
    return numeric::mul(kF32, of(1), of(2), mode_of(instruction.modifiers));
  });
}

void fuse_pair(Lane& lane, const Instruction& instruction) {
  set_halves(lane, instruction, [&](auto of) {
    return numeric::fma(kF32, of(1), of(2), of(3), mode_of(instruction.modifiers));
  });
}

}  // namespace warpledger::exec::machine
