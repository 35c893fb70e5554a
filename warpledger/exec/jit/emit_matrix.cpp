// LLVM. mma.sync: registers to the context, a call, registers back.
#include "warpledger/exec/jit/emitter.h"

namespace warpledger::exec::jit {

using reference::Value;

std::span<const Value> Emitter::elements(const Operand& operand) const {
  if (operand.kind != Value::Kind::kList) return {&operand, 1};
  return {code_.values.data() + operand.slot, operand.count};
}

void Emitter::emit_product(const Step& step) {
  const auto place = [&](size_t offset, size_t i) {
    const size_t at = offsetof(WarpContext, matrix) + offset + i * sizeof(uint32_t[32]);
    return b_.CreatePtrAdd(context_, b_.getInt64(at));
  };
  const auto put = [&](size_t offset, const Operand& operand) {
    size_t i = 0;
    for (const Operand& one : elements(operand)) {
      b_.CreateAlignedStore(vector(one, 32), place(offset, i++), llvm::Align(64));
    }
  };
  put(offsetof(MatrixOperands, a), step.operands[1]);
  put(offsetof(MatrixOperands, b), step.operands[2]);
  put(offsetof(MatrixOperands, c), step.operands[3]);
  call_or_leave("wl_jit_product", {b_.getInt32(pc_), mask(), lanes()});
  size_t i = 0;
  for (const Operand& one : elements(step.operands[0])) {
    write_vector(one,
                 b_.CreateAlignedLoad(lanes_of(b_.getInt32Ty()),
                                      place(offsetof(MatrixOperands, d), i++), llvm::Align(64)));
  }
}

}  // namespace warpledger::exec::jit
