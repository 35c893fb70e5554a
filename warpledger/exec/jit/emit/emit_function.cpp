// LLVM. The function of a kernel: its variables, its blocks in both versions, its end.
#include "warpledger/exec/jit/emit/emit_function.h"

#include <algorithm>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_control.h"
#include "warpledger/exec/jit/emit/emit_count.h"
#include "warpledger/exec/jit/emit/emit_order.h"
#include "warpledger/exec/jit/emit/emit_record.h"
#include "warpledger/exec/jit/emit/emit_table.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Family;
using ptx::Op;

void declare(Emitter& e, const std::string& name) {
  llvm::FunctionType* type = llvm::FunctionType::get(e.getVoidTy(), {e.getPtrTy()}, false);
  e.function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, e.module);
  set_host_attributes(e.function);
  e.context = e.function->getArg(0);
  e.function->addParamAttr(0, llvm::Attribute::NoAlias);
  e.function->addParamAttr(
      0, llvm::Attribute::getWithDereferenceableBytes(e.module.getContext(), sizeof(WarpContext)));
  e.function->addParamAttr(
      0, llvm::Attribute::getWithAlignment(e.module.getContext(), llvm::Align(64)));
  e.SetInsertPoint(e.new_block("entry"));
}

void make_variables(Emitter& e) {
  Variables& v = e.variables;
  const auto zeroed = [&](llvm::Type* type) {
    llvm::AllocaInst* variable = e.CreateAlloca(type);
    e.CreateStore(llvm::Constant::getNullValue(type), variable);
    return variable;
  };
  v.scalar.resize(e.code.slots);
  v.vector.resize(e.code.slots);
  for (uint32_t slot = 0; slot < e.code.slots; ++slot) {
    llvm::Type* type = e.integer(e.analysis.bits[slot]);
    if (e.analysis.holding[slot] != Holding::kVector) v.scalar[slot] = zeroed(type);
    if (e.analysis.holding[slot] != Holding::kUniform) v.vector[slot] = zeroed(e.lanes_of(type));
  }
  llvm::Type* i32 = e.getInt32Ty();
  for (llvm::AllocaInst** variable : {&v.mask, &v.loop_mask, &v.alive}) {
    *variable = e.CreateAlloca(i32);
    e.CreateStore(context_field(e, i32, offsetof(WarpContext, mask)), *variable);
  }
  v.depth = zeroed(i32);
  v.carry = zeroed(i32);
  v.loading = zeroed(i32);
  v.target = zeroed(i32), v.came_apart = zeroed(e.getInt1Ty()), v.lowest = e.CreateAlloca(i32);
  e.CreateStore(e.getInt32(UINT32_MAX), v.lowest);
  v.base = zeroed(i32), v.instance = zeroed(i32), v.ended = zeroed(i32);
  for (size_t i = 0; i < e.analysis.flow.instances.size(); ++i)
    v.calls.push_back({zeroed(i32), zeroed(i32), zeroed(i32)});
  // At most 32 masks that shrink, and 32 sides that wait.
  v.stack = e.CreateAlloca(llvm::ArrayType::get(llvm::ArrayType::get(i32, 4), 72));
  v.fuel = e.CreateAlloca(e.getInt64Ty());
  e.CreateStore(context_field(e, e.getInt64Ty(), offsetof(WarpContext, fuel), false), v.fuel);
  v.record = e.CreateAlloca(e.getPtrTy());
  e.CreateStore(context_field(e, e.getPtrTy(), offsetof(WarpContext, record), false), v.record);
  v.saved_mask.resize(e.analysis.flow.cfg.blocks.size());
  for (const uint32_t source : e.analysis.mask_from) {
    if (source != kNowhere && v.saved_mask[source] == nullptr) v.saved_mask[source] = zeroed(i32);
  }
}

void use_fuel(Emitter& e, uint32_t instructions) {
  V fuel = e.CreateLoad(e.getInt64Ty(), e.variables.fuel);
  e.CreateStore(e.CreateSub(fuel, e.getInt64(instructions)), e.variables.fuel);
}

// A loop's turn: a warp that has run long lets others run, and is stopped when it runs too long.
void take_turn(Emitter& e) {
  Block tired = e.new_block("tired"), on = e.new_block("on");
  V fuel = e.CreateLoad(e.getInt64Ty(), e.variables.fuel);
  e.branch(e.CreateICmpSLT(fuel, e.getInt64(0)), tired, on, 1, 10000);
  e.SetInsertPoint(tired);
  call_or_leave(e, "wl_jit_turn", {e.getInt32(e.analysis.flow.cfg.blocks[e.block].first)});
  e.CreateBr(on);
  e.SetInsertPoint(on);
}

void enter_block(Emitter& e, uint32_t block) {
  if (const uint32_t source = e.analysis.mask_from[block]; source != kNowhere) {
    V saved = e.CreateLoad(e.getInt32Ty(), e.variables.saved_mask[source]);
    e.CreateStore(e.CreateAnd(saved, e.CreateLoad(e.getInt32Ty(), e.variables.alive)),
                  e.variables.mask);
  }
  if (e.variables.saved_mask[block] != nullptr)
    e.CreateStore(e.mask(), e.variables.saved_mask[block]);
  if (e.analysis.flow.innermost[block] == kNowhere) e.CreateStore(e.mask(), e.variables.loop_mask);
  const uint32_t count = instructions_of(e.analysis, block);
  const uint32_t at_once = instructions_to_call(e.analysis, block);
  use_fuel(e, at_once);
  count_block(e, block, e.mask());
  bool turns = false;
  for (const uint32_t from : e.analysis.flow.cfg.blocks[block].predecessors) turns |= from >= block;
  if (turns) take_turn(e);
  if (count != at_once) use_fuel(e, count - at_once);
  reserve_records(e, block);
}

// exec/decode/slice/turns.h. Whoever polls with a load may wait for another block.
void give_way(Emitter& e, const Step& step) {
  if (!step.gives_way) return;
  const bool polls = step.polls && step.spelling().op() == Op::kLd;
  call_or_leave(e, polls ? "wl_jit_pause" : "wl_jit_give_way", {});
}

// What remains of a step whose values are not needed: an access, or a synchronization.
void emit_dropped(Emitter& e, const Step& step) {
  if (step.vanishes) return;
  const ptx::OpcodeInfo& opcode = step.spelling().opcode();
  if (e.analysis.memory_index[e.pc] != kNowhere && is_lowered(step)) return emit_by_table(e, step);
  if (step.move != nullptr) return emit_interpreted(e, step, "wl_jit_transfer");
  if (opcode.memory != ptx::MemoryKind::kNone) return emit_interpreted(e, step);
  if (opcode.family == Family::kWarp) return emit_meeting(e, step);
  // Where the whole warp is here there is nothing to do; else the interpreter says what is wrong.
  V here = e.lanes();
  V missing = e.CreateICmpNE(here, e.getInt32(~0u));
  Block ask = e.new_block("ask"), on = e.new_block("on");
  e.branch(e.CreateAnd(missing, e.CreateICmpNE(here, e.getInt32(0))), ask, on, 1, 1000);
  e.SetInsertPoint(ask);
  emit_interpreted(e, step);
  e.CreateBr(on);
  e.SetInsertPoint(on);
}

void watch_registers(Emitter& e) {
  const auto& touching = e.analysis.may_touch_results;
  if (touching.empty() || !touching[e.pc]) return;
  call_or_leave(e, "wl_jit_watch_registers", {e.getInt32(e.pc), e.mask(), e.lanes()});
}

void emit_step(Emitter& e, const Step& step) {
  if (!marks_itself(e.analysis, e.pc)) mark_wait(e, step);
  follow_loads(e, step);
  const bool watched = !e.analysis.may_touch_results.empty() && e.analysis.may_touch_results[e.pc];
  if (step.guard != UINT32_MAX && (e.mode.count || !step.vanishes || watched)) {
    e.guard = guard_of(e, step);
    e.guard_bits = e.bits_of(e.guard);
  }
  V guarded = e.guard != nullptr ? e.lanes() : nullptr;
  watch_registers(e);
  if (!emit_convergence(e, step)) {
    if (step.dropped)
      emit_dropped(e, step);
    else
      emit_by_table(e, step);
  }
  if (guarded != nullptr && !step.extra) count_guarded(e, e.pc, guarded);
  e.guard = e.guard_bits = nullptr;
  if (e.mode.record && step.mark_after)
    emit_mark(e, trace::mark(trace::Mark::kUse, 0, step.number));
}

// The fast version from the start; or the general one, from the first step that the fast one
// leaves.
void emit_steps(Emitter& e, uint32_t block, bool fast) {
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  e.fast = fast;
  e.ahead.clear();
  bool open = fast;
  for (uint32_t pc = here.first; pc < here.end; ++pc) {
    const Step& step = e.code.steps[pc];
    if (open) give_way(e, step);  // who leaves the fast version here has done so
    if (Block entry = fast ? nullptr : e.general[pc - here.first]) {
      if (open) e.CreateBr(entry);
      e.SetInsertPoint(entry);
      open = true;
    }
    if (!open) continue;
    e.pc = pc;
    const bool is_control = step.spelling().opcode().family == Family::kControl;
    if (pc + 1 == here.end && is_control && is_lowered(step)) break;
    emit_step(e, step);
  }
  if (!open) return;
  e.pc = here.end - 1;
  emit_terminator(e, block);
}

// Where lanes go on by address, every register that they may wait with is carried to every such
// block: a kernel with many of them takes LLVM long enough without guesses.
bool has_general_only(const Emitter& e, uint32_t block) {
  constexpr std::ptrdiff_t kFew = 16;
  const std::vector<bool>& apart = e.analysis.may_be_partial;
  return e.code.by_address && apart[block] && std::ranges::count(apart, true) > kFew;
}

void emit_block(Emitter& e, uint32_t block) {
  e.block = block;
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  if (e.analysis.meets_by_stack[block]) {
    e.SetInsertPoint(e.entries[block]);
    emit_pop(e, block, e.bodies[block]);
  }
  e.SetInsertPoint(e.bodies[block]);
  enter_block(e, block);
  e.general.assign(here.end - here.first, nullptr);
  e.leaders.clear();
  if (has_general_only(e, block)) {
    e.general[0] = e.new_block("general");
    e.CreateBr(e.general[0]);
  } else {
    emit_steps(e, block, true);
  }
  emit_steps(e, block, false);
}

void finish(Emitter& e) {
  e.SetInsertPoint(e.end);
  e.CreateBr(e.leave);
  e.SetInsertPoint(e.leave);
  set_context_field(e, e.CreateLoad(e.getInt64Ty(), e.variables.fuel), offsetof(WarpContext, fuel));
  set_context_field(e, e.CreateLoad(e.getPtrTy(), e.variables.record),
                    offsetof(WarpContext, record));
  e.CreateRetVoid();
}

}  // namespace

void emit_function(const Analysis& analysis, llvm::Module& module, const Mode& mode,
                   const std::string& name) {
  Emitter e(analysis, module, mode);
  define_pattern_function(e);
  declare(e, name);
  make_variables(e);
  const auto blocks = static_cast<uint32_t>(e.analysis.flow.cfg.blocks.size());
  e.end = e.new_block("end");
  e.leave = e.new_block("leave");
  e.dispatch = e.new_block("dispatch");
  for (uint32_t block = 0; block < blocks; ++block) {
    e.bodies.push_back(e.new_block("body"));
    e.entries.push_back(e.analysis.meets_by_stack[block] ? e.new_block("meet") : e.bodies.back());
  }
  for (size_t i = 0; i < e.analysis.flow.instances.size(); ++i)
    e.returns.push_back(i == 0 ? e.end : e.new_block("returns"));
  e.CreateBr(e.entries[0]);
  for (uint32_t block = 0; block < blocks; ++block) emit_block(e, block);
  if (e.code.by_address)
    emit_turns(e);
  else
    emit_dispatch(e);
  emit_returns(e);
  finish(e);
}

}  // namespace warpledger::exec::jit
