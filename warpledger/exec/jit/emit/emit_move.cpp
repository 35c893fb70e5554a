// LLVM. ldmatrix and stmatrix: addresses and registers to the context, a call, registers back. What
// is left of a dropped one is its record.
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_record.h"
#include "warpledger/exec/jit/emit/emit_table.h"

namespace warpledger::exec::jit {
namespace {

Access row_access(Emitter& e, const Step& step) {
  const bool loads = step.spelling().op() == ptx::Op::kLdmatrix;
  Access access = make_access(e, step, step.operands[loads ? 1 : 0]);
  access.element = access.count = 4;  // rows of 16 bytes
  access.is_store = !loads;
  access.moves = false;
  access.picks_lanes = true;
  const auto rows = 8 * static_cast<unsigned>(matrices_of(step));
  access.lanes = e.getInt32(rows == 32 ? ~0u : (1u << rows) - 1);
  return access;
}

}  // namespace

void emit_matrix_move(Emitter& e, const Step& step) {
  const bool loads = step.spelling().op() == ptx::Op::kLdmatrix;
  const size_t registers = offsetof(WarpContext, matrix) +
                           (loads ? offsetof(MatrixOperands, d) : offsetof(MatrixOperands, a));
  const auto place = [&](size_t i) { return registers + i * sizeof(uint32_t[32]); };
  Access access = row_access(e, step);
  const bool known = e.fast && access.steady;
  if (known) {
    e.guess(e.CreateICmpEQ(e.lanes(), e.getInt32(~0u)));
    if (loads && !step.dropped) guess_there(e, access);
    guess_in_bounds(e, access);
    if (!loads) note_write(e, access);
  }
  mark_wait(e, step);
  if (known) record_access(e, access);
  if (known && step.dropped) return;
  put_vector(e, all(e, access.full, 64), offsetof(WarpContext, address));
  size_t i = 0;
  if (!loads && !step.dropped) {
    for (const Operand& one : elements(e, step.operands[1]))
      put_vector(e, vector(e, one, 32), place(i++));
  }
  if (known) {
    call_runtime(e, "wl_jit_move_rows", e.getVoidTy(), {e.getInt32(e.pc)});
  } else {
    call_or_leave(e, "wl_jit_move_matrix",
                  {e.getInt32(e.pc), e.mask(), e.lanes(), access.address.scalar});
  }
  if (!loads || step.dropped) return;
  for (const Operand& one : elements(e, step.operands[0]))
    write(e, one, {nullptr, get_vector(e, e.lanes_of(e.getInt32Ty()), place(i++))});
}

}  // namespace warpledger::exec::jit
