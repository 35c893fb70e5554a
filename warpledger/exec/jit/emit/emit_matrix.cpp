// LLVM. mma.sync: registers to the context, a call, registers back.
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_table.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {

void emit_mma(Emitter& e, const Step& step) {
  const auto place = [&](size_t offset, size_t i) {
    return offsetof(WarpContext, matrix) + offset + i * sizeof(uint32_t[32]);
  };
  const auto put = [&](size_t offset, const Operand& operand) {
    size_t i = 0;
    for (const Operand& one : elements(e, operand))
      put_vector(e, vector(e, one, 32), place(offset, i++));
  };
  put(offsetof(MatrixOperands, a), step.operands[1]);
  put(offsetof(MatrixOperands, b), step.operands[2]);
  put(offsetof(MatrixOperands, c), step.operands[3]);
  call_or_leave(e, "wl_jit_product", {e.getInt32(e.pc), e.mask(), e.lanes()});
  size_t i = 0;
  for (const Operand& one : elements(e, step.operands[0])) {
    const size_t at = place(offsetof(MatrixOperands, d), i++);
    write(e, one, {nullptr, get_vector(e, e.lanes_of(e.getInt32Ty()), at)});
  }
}

}  // namespace warpledger::exec::jit
