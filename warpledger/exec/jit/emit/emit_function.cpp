// LLVM. The function of a kernel: its variables, its blocks in both versions, its end.
#include <bit>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

using ptx::Family;
using ptx::Op;

Emitter::Emitter(const Analysis& analysis, llvm::Module& module, const Mode& mode)
    : analysis_(analysis),
      code_(*analysis.code),
      module_(module),
      mode_(mode),
      counts_(analysis),
      b_(module.getContext()) {}

llvm::Function* Emitter::run(const std::string& name) {
  define_pattern_function();
  declare(name);
  make_variables();
  const auto blocks = static_cast<uint32_t>(analysis_.flow.cfg.blocks.size());
  end_ = new_block("end");
  leave_ = new_block("leave");
  dispatch_ = new_block("dispatch");
  for (uint32_t block = 0; block < blocks; ++block) {
    bodies_.push_back(new_block("body"));
    entries_.push_back(analysis_.meets_by_stack[block] ? new_block("meet") : bodies_.back());
  }
  b_.CreateBr(entries_[0]);
  for (uint32_t block = 0; block < blocks; ++block) emit_block(block);
  emit_dispatch();
  finish();
  return function_;
}

void Emitter::declare(const std::string& name) {
  llvm::FunctionType* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
  set_host_attributes(function_);
  context_ = function_->getArg(0);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(
      0, llvm::Attribute::getWithDereferenceableBytes(module_.getContext(), sizeof(WarpContext)));
  function_->addParamAttr(0,
                          llvm::Attribute::getWithAlignment(module_.getContext(), llvm::Align(64)));
  b_.SetInsertPoint(new_block("entry"));
}

void Emitter::make_variables() {
  const auto zeroed = [&](llvm::Type* type) {
    llvm::AllocaInst* variable = b_.CreateAlloca(type);
    b_.CreateStore(llvm::Constant::getNullValue(type), variable);
    return variable;
  };
  scalar_.resize(code_.slots);
  vector_.resize(code_.slots);
  for (uint32_t slot = 0; slot < code_.slots; ++slot) {
    llvm::Type* type = integer(analysis_.bits[slot]);
    if (analysis_.holding[slot] != Holding::kVector) scalar_[slot] = zeroed(type);
    if (analysis_.holding[slot] != Holding::kUniform) vector_[slot] = zeroed(lanes_of(type));
  }
  llvm::Type* i32 = b_.getInt32Ty();
  for (llvm::AllocaInst** variable : {&mask_, &loop_mask_, &alive_}) {
    *variable = b_.CreateAlloca(i32);
    b_.CreateStore(context_field(i32, offsetof(WarpContext, mask)), *variable);
  }
  depth_ = zeroed(i32);
  // At most 32 masks that shrink, and 32 sides that wait.
  stack_ = b_.CreateAlloca(llvm::ArrayType::get(llvm::ArrayType::get(i32, 4), 72));
  fuel_ = b_.CreateAlloca(b_.getInt64Ty());
  b_.CreateStore(context_field(b_.getInt64Ty(), offsetof(WarpContext, fuel), false), fuel_);
  record_ = b_.CreateAlloca(b_.getPtrTy());
  b_.CreateStore(context_field(b_.getPtrTy(), offsetof(WarpContext, record), false), record_);
  saved_mask_.resize(analysis_.flow.cfg.blocks.size());
  for (const uint32_t source : analysis_.mask_from) {
    if (source != kNowhere && saved_mask_[source] == nullptr) saved_mask_[source] = zeroed(i32);
  }
}

void Emitter::emit_block(uint32_t block) {
  block_ = block;
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  if (analysis_.meets_by_stack[block]) {
    b_.SetInsertPoint(entries_[block]);
    emit_pop(block, bodies_[block]);
  }
  b_.SetInsertPoint(bodies_[block]);
  enter_block(block);
  general_.assign(here.end - here.first, nullptr);
  leaders_.clear();
  emit_steps(block, true);
  emit_steps(block, false);
}

void Emitter::enter_block(uint32_t block) {
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  if (const uint32_t source = analysis_.mask_from[block]; source != kNowhere) {
    V saved = b_.CreateLoad(b_.getInt32Ty(), saved_mask_[source]);
    b_.CreateStore(b_.CreateAnd(saved, b_.CreateLoad(b_.getInt32Ty(), alive_)), mask_);
  }
  if (saved_mask_[block] != nullptr) b_.CreateStore(mask(), saved_mask_[block]);
  if (analysis_.flow.innermost[block] == kNowhere) b_.CreateStore(mask(), loop_mask_);
  const auto count = static_cast<int64_t>(here.end - here.first);
  V fuel = b_.CreateLoad(b_.getInt64Ty(), fuel_);
  b_.CreateStore(b_.CreateSub(fuel, b_.getInt64(static_cast<uint64_t>(count))), fuel_);
  count_block(block, mask());
  bool turns = false;
  for (const uint32_t from : here.predecessors) turns |= from >= block;
  if (turns) take_turn();
  reserve_records(block);
}

// A loop's turn: a warp that has run long lets others run, and is stopped when it runs too long.
void Emitter::take_turn() {
  Block tired = new_block("tired"), on = new_block("on");
  V fuel = b_.CreateLoad(b_.getInt64Ty(), fuel_);
  branch(b_.CreateICmpSLT(fuel, b_.getInt64(0)), tired, on, 1, 10000);
  b_.SetInsertPoint(tired);
  call_or_leave("wl_jit_turn", {b_.getInt32(analysis_.flow.cfg.blocks[block_].first)});
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

// exec/decode/slice/turns.h. Whoever polls with a load may wait for another block.
void Emitter::give_way(const Step& step) {
  if (!step.gives_way) return;
  const bool polls = step.polls && step.spelling().op() == Op::kLd;
  call_or_leave(polls ? "wl_jit_pause" : "wl_jit_give_way", {});
}

// The fast version from the start; or the general one, from the first step that the fast one
// leaves.
void Emitter::emit_steps(uint32_t block, bool fast) {
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  fast_ = fast;
  ahead_.clear();
  bool open = fast;
  for (uint32_t pc = here.first; pc < here.end; ++pc) {
    if (open) give_way(code_.steps[pc]);  // who leaves the fast version here has done so
    if (Block entry = fast ? nullptr : general_[pc - here.first]) {
      if (open) b_.CreateBr(entry);
      b_.SetInsertPoint(entry);
      open = true;
    }
    if (!open) continue;
    pc_ = pc;
    const bool last = pc + 1 == here.end;
    if (last && code_.steps[pc].spelling().opcode().family == Family::kControl &&
        is_lowered(code_.steps[pc])) {
      break;
    }
    emit_step(pc);
  }
  if (!open) return;
  pc_ = here.end - 1;
  emit_terminator(block);
}

void Emitter::emit_step(uint32_t pc) {
  const Step& step = code_.steps[pc];
  if (!marks_itself(analysis_, pc)) mark_wait(step);
  if (step.guard != UINT32_MAX && (mode_.count || !step.vanishes)) {
    guard_ = guard_of(step);
    guard_bits_ = bits_of(guard_);
  }
  V guarded = guard_ != nullptr ? lanes() : nullptr;
  if (step.dropped) {
    emit_dropped(step, pc);
  } else if (!is_lowered(step) || !emit_lowered(step)) {
    emit_interpreted(step, pc);
  }
  if (guarded != nullptr) count_guarded(pc, guarded);
  guard_ = guard_bits_ = nullptr;
  if (mode_.record && step.mark_after) emit_mark(trace::mark(trace::Mark::kUse, 0, step.number));
}

bool Emitter::emit_lowered(const Step& step) {
  switch (step.spelling().op()) {
    case Op::kLd:
      emit_load(step, pc_);
      return true;
    case Op::kSt:
      emit_store(step, pc_);
      return true;
    case Op::kMembar:
    case Op::kFence:
      return true;
    case Op::kBarSync:
      emit_barrier(step);
      return true;
    case Op::kLdmatrix:
    case Op::kStmatrix:
      emit_matrix_move(step);
      return true;
    case Op::kMma:
      emit_product(step);
      return true;
    case Op::kActivemask:
      write_uniform(step.operands[0], lanes());
      return true;
    default:
      break;
  }
  if (emit_exchange(step) || emit_copy(step) || emit_copy_group(step)) return true;
  if (emit_pack(step) || emit_division(step) || emit_bits(step) || emit_directed(step) ||
      emit_to_float(step) || emit_math(step))
    return true;
  return emit_affine(step) || emit_integer(step) || emit_logic(step) || emit_float(step) ||
         emit_compare(step) || emit_convert(step);
}

// What is left of a step whose values nobody needs: an access, or lanes that meet.
void Emitter::emit_dropped(const Step& step, uint32_t pc) {
  if (step.vanishes) return;
  const ptx::OpcodeInfo& opcode = step.spelling().opcode();
  if (analysis_.memory_index[pc] != kNowhere && is_lowered(step)) {
    const Op op = step.spelling().op();
    if (op == Op::kLd || op == Op::kSt) return emit_dropped_access(step, pc);
    if (op == Op::kLdmatrix || op == Op::kStmatrix) return emit_matrix_move(step);
    if (emit_copy(step)) return;
  }
  if (opcode.memory != ptx::MemoryKind::kNone) return emit_interpreted(step, pc);
  if (opcode.family == Family::kWarp) return leave_if_lanes_are_missing(step);
  // Where the whole warp is here there is nothing to do; else the interpreter says what is wrong.
  V here = lanes();
  V missing = b_.CreateICmpNE(here, b_.getInt32(~0u));
  Block ask = new_block("ask"), on = new_block("on");
  branch(b_.CreateAnd(missing, b_.CreateICmpNE(here, b_.getInt32(0))), ask, on, 1, 1000);
  b_.SetInsertPoint(ask);
  emit_interpreted(step, pc);
  b_.CreateBr(on);
  b_.SetInsertPoint(on);
}

void Emitter::emit_barrier(const Step& step) {
  const auto id = static_cast<uint32_t>(step.operands[0].value);
  const std::vector<V> arguments = {b_.getInt32(pc_), mask(), b_.getInt32(id)};
  if (mode_.record) emit_mark(trace::mark(trace::Mark::kBarrier, 0, id));
  if (!analysis_.warps_run_free) return call_or_leave("wl_jit_barrier", arguments);
  Block parted = new_block("parted"), together = new_block("together");
  V alive = b_.CreateLoad(b_.getInt32Ty(), alive_);
  branch(b_.CreateICmpEQ(mask(), alive), together, parted, 1000, 1);
  b_.SetInsertPoint(parted);
  call_or_leave("wl_jit_barrier", arguments);
  b_.CreateBr(together);
  b_.SetInsertPoint(together);
}

void Emitter::guess(V condition) {
  const uint32_t index = pc_ - analysis_.flow.cfg.blocks[block_].first;
  if (general_[index] == nullptr) general_[index] = new_block("general");
  Block on = new_block("fast");
  branch(condition, on, general_[index], 100000, 1);
  b_.SetInsertPoint(on);
}

void Emitter::finish() {
  b_.SetInsertPoint(end_);
  b_.CreateBr(leave_);
  b_.SetInsertPoint(leave_);
  set_context_field(b_.CreateLoad(b_.getInt64Ty(), fuel_), offsetof(WarpContext, fuel));
  set_context_field(b_.CreateLoad(b_.getPtrTy(), record_), offsetof(WarpContext, record));
  b_.CreateRetVoid();
}

}  // namespace warpledger::exec::jit
