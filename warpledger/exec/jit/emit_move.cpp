// LLVM. ldmatrix and stmatrix: addresses and registers to the context, a call, registers back.
#include "warpledger/exec/jit/emitter.h"

namespace warpledger::exec::jit {

void Emitter::emit_matrix_move(const Step& step) {
  const bool loads = step.spelling().op() == ptx::Op::kLdmatrix;
  const size_t registers = offsetof(WarpContext, matrix) +
                           (loads ? offsetof(MatrixOperands, d) : offsetof(MatrixOperands, a));
  const auto place = [&](size_t i) {
    return b_.CreatePtrAdd(context_, b_.getInt64(registers + i * sizeof(uint32_t[32])));
  };
  const Access access = make_access(step, pc_, step.operands[loads ? 1 : 0]);
  b_.CreateAlignedStore(all(access.full, 64),
                        b_.CreatePtrAdd(context_, b_.getInt64(offsetof(WarpContext, address))),
                        llvm::Align(64));
  size_t i = 0;
  if (!loads) {
    for (const Operand& one : elements(step.operands[1]))
      b_.CreateAlignedStore(vector(one, 32), place(i++), llvm::Align(64));
  }
  call_or_leave("wl_jit_move_matrix", {b_.getInt32(pc_), mask(), lanes()});
  if (!loads) return;
  for (const Operand& one : elements(step.operands[0])) {
    write_vector(one, b_.CreateAlignedLoad(lanes_of(b_.getInt32Ty()), place(i++), llvm::Align(64)));
  }
}

}  // namespace warpledger::exec::jit
