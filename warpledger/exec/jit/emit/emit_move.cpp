// LLVM. ldmatrix and stmatrix: addresses and registers to the context, a call, registers back. What
// is left of a dropped one is its record.
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

Emitter::Access Emitter::row_access(const Step& step) {
  const bool loads = step.spelling().op() == ptx::Op::kLdmatrix;
  Access access = make_access(step, pc_, step.operands[loads ? 1 : 0]);
  access.element = access.count = 4;  // rows of 16 bytes
  access.is_store = !loads;
  access.moves = false;
  access.picks_lanes = true;
  const auto rows = 8 * static_cast<unsigned>(matrices_of(step));
  access.lanes = b_.getInt32(rows == 32 ? ~0u : (1u << rows) - 1);
  return access;
}

void Emitter::emit_matrix_move(const Step& step) {
  const bool loads = step.spelling().op() == ptx::Op::kLdmatrix;
  const size_t registers = offsetof(WarpContext, matrix) +
                           (loads ? offsetof(MatrixOperands, d) : offsetof(MatrixOperands, a));
  const auto place = [&](size_t i) { return registers + i * sizeof(uint32_t[32]); };
  Access access = row_access(step);
  const bool known = fast_ && access.steady;
  if (known) {
    guess(b_.CreateICmpEQ(lanes(), b_.getInt32(~0u)));
    guess_in_bounds(access);
  }
  mark_wait(step);
  if (known) record_access(access);
  if (known && step.dropped) return;
  put_vector(all(access.full, 64), offsetof(WarpContext, address));
  size_t i = 0;
  if (!loads && !step.dropped) {
    for (const Operand& one : elements(step.operands[1])) put_vector(vector(one, 32), place(i++));
  }
  if (known) {
    call_runtime("wl_jit_move_rows", b_.getVoidTy(), {b_.getInt32(pc_)});
  } else {
    call_or_leave("wl_jit_move_matrix", {b_.getInt32(pc_), mask(), lanes(), access.address.scalar});
  }
  if (!loads || step.dropped) return;
  for (const Operand& one : elements(step.operands[0]))
    write_vector(one, get_vector(lanes_of(b_.getInt32Ty()), place(i++)));
}

}  // namespace warpledger::exec::jit
