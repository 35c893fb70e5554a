// LLVM. Barriers of a block, and instructions that need no code.
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_record.h"
#include "warpledger/exec/jit/emit/emit_table.h"

namespace warpledger::exec::jit {

void emit_nothing(Emitter&, const Step&) {}

void emit_barrier(Emitter& e, const Step& step) {
  const auto id = static_cast<uint32_t>(step.operands[0].value);
  const std::vector<V> arguments = {e.getInt32(e.pc), e.mask(), e.getInt32(id)};
  const trace::Record mark = trace::mark(trace::Mark::kBarrier, 0, id);
  if (e.mode.record && e.code.by_address)
    emit_mark_unless(e, mark, e.CreateLoad(e.getInt1Ty(), e.variables.came_apart));
  else if (e.mode.record)
    emit_mark(e, mark);
  e.CreateStore(e.getFalse(), e.variables.came_apart);
  if (!e.analysis.warps_run_free) return call_or_leave(e, "wl_jit_barrier", arguments);
  Block parted = e.new_block("parted"), together = e.new_block("together");
  V alive = e.CreateLoad(e.getInt32Ty(), e.variables.alive);
  e.branch(e.CreateICmpEQ(e.mask(), alive), together, parted, 1000, 1);
  e.SetInsertPoint(parted);
  call_or_leave(e, "wl_jit_barrier", arguments);
  e.CreateBr(together);
  e.SetInsertPoint(together);
}

}  // namespace warpledger::exec::jit
