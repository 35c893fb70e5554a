// LLVM. Lanes of machine code that go on by address.
#include "warpledger/exec/jit/emit/emit_order.h"

#include "warpledger/exec/jit/analysis/by_address.h"
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_record.h"
#include "warpledger/exec/jit/emit/emit_value.h"

namespace warpledger::exec::jit {
namespace {

using Kind = reference::Convergence::Kind;

void take_turn_at(Emitter& e, V block) {
  e.CreateStore(block, e.variables.target);
  e.CreateBr(e.dispatch);
}

// Without the guard: lanes that do not take part count as elsewhere.
void emit_missing(Emitter& e, const Step& step) {
  V here = e.mask();
  V named = in_first_lane(e, vector(e, step.operands[1], 32), here);
  V alive = e.CreateLoad(e.getInt32Ty(), e.variables.alive);
  write_result(e, step, e.CreateICmpNE(here, e.CreateAnd(named, alive)));
}

}  // namespace

Block way(Emitter& e, uint32_t from, uint32_t to) {
  const bool asks = e.code.by_address && e.analysis.may_be_partial[from];
  if (!asks || to == e.analysis.flow.cfg.exit()) return e.entry_of(to);
  const llvm::IRBuilderBase::InsertPointGuard keep(e);
  Block ask = e.new_block("way"), others = e.new_block("others");
  e.SetInsertPoint(ask);
  V lowest = e.CreateLoad(e.getInt32Ty(), e.variables.lowest);
  e.branch(e.CreateICmpUGT(lowest, e.getInt32(to)), e.entry_of(to), others, 100, 1);
  e.SetInsertPoint(others);
  part_by_address(e, {{to, e.mask()}});
  return ask;
}

void part_by_address(Emitter& e, const std::map<uint32_t, V>& lanes) {
  for (const auto& [block, who] : lanes)
    call_runtime(e, "wl_jit_place", e.getVoidTy(), {who, e.getInt32(block)});
  run_next(e);
}

void run_next(Emitter& e) {
  take_turn_at(e, call_runtime(e, "wl_jit_next", e.getInt32Ty(), {e.getInt32(e.pc)}));
}

// Nobody else is left to wait for where all that live are here.
void emit_convergence_wait(Emitter& e, uint32_t block, const Step& step) {
  const uint32_t next = e.analysis.flow.cfg.blocks[block].successors[0];
  V alive = e.CreateLoad(e.getInt32Ty(), e.variables.alive);
  Block wait = e.new_block("wait");
  e.branch(e.CreateICmpEQ(e.mask(), alive), e.entry_of(next), wait, 100, 1);
  e.SetInsertPoint(wait);
  if (meets_for_barrier(step)) {
    const auto id = static_cast<uint32_t>(e.code.steps[e.pc + 1].operands[0].value);
    if (e.mode.record) emit_mark(e, trace::mark(trace::Mark::kBarrier, 0, id | trace::kPartOfWarp));
    e.CreateStore(e.getTrue(), e.variables.came_apart);
  }
  take_turn_at(e, call_runtime(e, "wl_jit_converge", e.getInt32Ty(),
                               {e.getInt32(e.pc), e.mask(), e.getInt32(step.convergence.barrier),
                                e.getInt32(next)}));
}

bool emit_convergence(Emitter& e, const Step& step) {
  V barrier = e.getInt32(step.convergence.barrier);
  switch (step.convergence.kind) {
    case Kind::kOpen:
      call_runtime(e, "wl_jit_open", e.getVoidTy(), {e.lanes(), barrier});
      break;
    case Kind::kLeave:
      call_runtime(e, "wl_jit_leave", e.getVoidTy(), {e.lanes(), barrier});
      break;
    case Kind::kMissing:
      emit_missing(e, step);
      return true;
    case Kind::kName:
      put_vector(e, e.CreateZExt(vector(e, step.operands[1], 32), e.lanes_of(e.getInt64Ty())),
                 offsetof(WarpContext, address));
      call_runtime(e, "wl_jit_name", e.getVoidTy(), {e.lanes()});
      break;
    default:
      break;
  }
  return false;
}

void emit_turns(Emitter& e) {
  e.SetInsertPoint(e.dispatch);
  llvm::Type* i32 = e.getInt32Ty();
  e.CreateStore(context_field(e, i32, offsetof(WarpContext, chosen), false), e.variables.mask);
  e.CreateStore(context_field(e, i32, offsetof(WarpContext, lowest), false), e.variables.lowest);
  V target = e.CreateLoad(i32, e.variables.target);
  llvm::SwitchInst* turn = e.CreateSwitch(target, e.end);
  const std::vector<bool> waiting = find_waiting_blocks(e.analysis, e.analysis.may_be_partial);
  for (uint32_t b = 0; b < waiting.size(); ++b)
    if (waiting[b]) turn->addCase(e.getInt32(b), e.entry_of(b));
}

}  // namespace warpledger::exec::jit
