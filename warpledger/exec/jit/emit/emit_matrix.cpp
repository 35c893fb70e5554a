// LLVM. mma.sync: registers to the context, a call, registers back.
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

void Emitter::emit_product(const Step& step) {
  const auto place = [&](size_t offset, size_t i) {
    return offsetof(WarpContext, matrix) + offset + i * sizeof(uint32_t[32]);
  };
  const auto put = [&](size_t offset, const Operand& operand) {
    size_t i = 0;
    for (const Operand& one : elements(operand)) put_vector(vector(one, 32), place(offset, i++));
  };
  put(offsetof(MatrixOperands, a), step.operands[1]);
  put(offsetof(MatrixOperands, b), step.operands[2]);
  put(offsetof(MatrixOperands, c), step.operands[3]);
  call_or_leave("wl_jit_product", {b_.getInt32(pc_), mask(), lanes()});
  size_t i = 0;
  for (const Operand& one : elements(step.operands[0])) {
    const size_t at = place(offsetof(MatrixOperands, d), i++);
    write_vector(one, get_vector(lanes_of(b_.getInt32Ty()), at));
  }
}

}  // namespace warpledger::exec::jit
