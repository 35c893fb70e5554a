// LLVM. Branches, the lanes that take them, and where they meet again (flow.h).
#include <llvm/IR/MDBuilder.h>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emitter.h"

namespace warpledger::exec::jit {

using ptx::Op;

void Emitter::branch(V condition, Block yes, Block no, uint32_t yes_weight, uint32_t no_weight) {
  llvm::MDBuilder weights(module_.getContext());
  b_.CreateCondBr(condition, yes, no, weights.createBranchWeights(yes_weight, no_weight));
}

void Emitter::emit_terminator(uint32_t block) {
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  const Step& last = code_.steps[here.end - 1];
  const Op op = last.spelling().op();
  const bool control = op == Op::kBra || op == Op::kRet || op == Op::kExit;
  if (!control) {  // falls through, perhaps off the end
    if (here.successors.empty()) return emit_end(block);
    b_.CreateBr(entry_of(here.successors[0]));
    return;
  }
  mark_wait(last);
  if (op == Op::kBra) return emit_branch(block);
  if (last.guard == UINT32_MAX) return emit_end(block);
  V condition = guard_of(last);
  count_guarded(here.end - 1, b_.CreateAnd(mask(), bits_of(condition)));
  emit_kill(block, condition);
}

/// The guard as i1, or as 32 x i1.
llvm::Value* Emitter::guard_of(const Step& step) {
  const LaneValue guard = read_slot(step.guard);
  V condition = guard.vector != nullptr ? guard.vector : guard.scalar;
  return step.guard_negated ? b_.CreateNot(condition) : condition;
}

void Emitter::emit_branch(uint32_t block) {
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  const Step& last = code_.steps[here.end - 1];
  const auto taken_pc = static_cast<uint32_t>(last.operands[0].value);
  const auto block_at = [&](uint32_t pc) {
    return pc < analysis_.flow.cfg.block_of.size() ? analysis_.flow.cfg.block_of[pc]
                                                   : analysis_.flow.cfg.exit();
  };
  const uint32_t taken = block_at(taken_pc), next = block_at(here.end);
  const uint32_t exit = analysis_.flow.cfg.exit();
  V condition = last.guard == UINT32_MAX ? b_.getTrue() : guard_of(last);
  if (last.guard != UINT32_MAX) {
    count_guarded(here.end - 1, b_.CreateAnd(mask(), bits_of(condition)));
  }
  if (last.guard == UINT32_MAX || taken == next) {
    if (taken == exit) return emit_end(block);
    b_.CreateBr(entry_of(taken));
    return;
  }
  if (taken == exit || kills(analysis_, block)) return emit_kill(block, condition);
  if (condition->getType()->isVectorTy()) return emit_parting(block, condition);
  if (next == exit) {
    Block ends = new_block("ends");
    b_.CreateCondBr(condition, entry_of(taken), ends);
    b_.SetInsertPoint(ends);
    return emit_end(block);
  }
  b_.CreateCondBr(condition, entry_of(taken), entry_of(next));
}

// All lanes one way, all the other, or both in turn: the lower block first, as the interpreter
// does.
void Emitter::emit_parting(uint32_t block, V condition) {
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  const uint32_t taken = here.successors[0], next = here.successors[1];
  const uint32_t meeting = analysis_.flow.meets[block];
  V now = mask();
  V takes = b_.CreateAnd(now, b_.CreateBitCast(condition, b_.getInt32Ty()));
  V stays = b_.CreateAnd(now, b_.CreateNot(takes));
  Block some = new_block("some"), both = new_block("both");
  b_.CreateCondBr(b_.CreateICmpEQ(takes, b_.getInt32(0)), entry_of(next), some);
  b_.SetInsertPoint(some);
  branch(b_.CreateICmpEQ(stays, b_.getInt32(0)), entry_of(taken), both, 100, 1);
  b_.SetInsertPoint(both);
  count_parting(b_.getTrue());
  if (analysis_.meets_by_stack[meeting] && meeting != analysis_.flow.cfg.exit()) {
    push(b_.getInt32(meeting), meeting, now);
  }
  const auto [first, second] = sides(analysis_.flow, block);
  V first_lanes = first == taken ? takes : stays, second_lanes = first == taken ? stays : takes;
  uint32_t runs = first;
  V lanes = first_lanes;
  if (first == meeting) {
    runs = second, lanes = second_lanes;
  } else if (second != meeting) {
    push(b_.getInt32(second), meeting, second_lanes);
  }
  b_.CreateStore(lanes, mask_);
  b_.CreateBr(entry_of(runs));
}

// Lanes that end here while others go on.
void Emitter::emit_kill(uint32_t block, V condition) {
  const ptx::Block& here = analysis_.flow.cfg.blocks[block];
  const uint32_t next = here.end < analysis_.flow.cfg.block_of.size()
                            ? analysis_.flow.cfg.block_of[here.end]
                            : analysis_.flow.cfg.exit();
  V ended = b_.CreateAnd(mask(), bits_of(condition));
  Block some = new_block("some_end"), on = new_block("on");
  branch(b_.CreateICmpEQ(ended, b_.getInt32(0)), on, some, 1000, 1);
  b_.SetInsertPoint(some);
  if (here.successors.size() == 2) {  // the exit's own instruction
    b_.CreateStore(b_.CreateSub(b_.CreateLoad(b_.getInt64Ty(), fuel_), b_.getInt64(1)), fuel_);
    count_block(here.successors[0], ended);
  }
  V left = b_.CreateAnd(mask(), b_.CreateNot(ended));
  if (code_.steps[here.end - 1].spelling().op() == Op::kBra) {
    count_parting(b_.CreateICmpNE(left, b_.getInt32(0)));
  }
  V alive = b_.CreateLoad(b_.getInt32Ty(), alive_);
  b_.CreateStore(b_.CreateAnd(alive, b_.CreateNot(ended)), alive_);
  call_runtime("wl_jit_end_lanes", b_.getVoidTy(), {ended});
  b_.CreateStore(left, mask_);
  b_.CreateCondBr(b_.CreateICmpEQ(left, b_.getInt32(0)),
                  analysis_.may_be_partial[block] ? dispatch_ : end_, on);
  b_.SetInsertPoint(on);
  if (next == analysis_.flow.cfg.exit()) return emit_end(block);
  b_.CreateBr(entry_of(next));
}

void Emitter::emit_end(uint32_t block) {
  if (!analysis_.may_be_partial[block]) {
    b_.CreateBr(end_);
    return;
  }
  V alive = b_.CreateLoad(b_.getInt32Ty(), alive_);
  b_.CreateStore(b_.CreateAnd(alive, b_.CreateNot(mask())), alive_);
  call_runtime("wl_jit_end_lanes", b_.getVoidTy(), {mask()});
  b_.CreateBr(dispatch_);
}

// An entry: the block to go to, where its lanes meet the others, who they are.
llvm::Value* Emitter::place_on_stack(V depth) {
  return b_.CreateGEP(llvm::ArrayType::get(b_.getInt32Ty(), 4), stack_, depth);
}

void Emitter::push(V block, uint32_t meeting, V mask) {
  V depth = b_.CreateLoad(b_.getInt32Ty(), depth_);
  V at = place_on_stack(depth);
  b_.CreateStore(block, at);
  b_.CreateStore(b_.getInt32(meeting), b_.CreatePtrAdd(at, b_.getInt64(4)));
  b_.CreateStore(mask, b_.CreatePtrAdd(at, b_.getInt64(8)));
  b_.CreateStore(b_.CreateAdd(depth, b_.getInt32(1)), depth_);
}

// Takes the entry at the top off the stack: its lanes are next, in the block that is answered.
// Where all of them have ended, whoever waits below them.
llvm::Value* Emitter::wake_top(V top, V at) {
  llvm::Type* i32 = b_.getInt32Ty();
  Block go = new_block("go");
  b_.CreateStore(top, depth_);
  V waiting = b_.CreateAnd(b_.CreateLoad(i32, b_.CreatePtrAdd(at, b_.getInt64(8))),
                           b_.CreateLoad(i32, alive_));
  V target = b_.CreateLoad(i32, at);
  b_.CreateStore(waiting, mask_);
  b_.CreateCondBr(b_.CreateICmpEQ(waiting, b_.getInt32(0)), dispatch_, go);
  b_.SetInsertPoint(go);
  return target;
}

void Emitter::jump_to(V target, Block otherwise, const std::set<uint32_t>& targets) {
  llvm::SwitchInst* next =
      b_.CreateSwitch(target, otherwise, static_cast<unsigned>(targets.size()));
  for (const uint32_t block : targets) next->addCase(b_.getInt32(block), entry_of(block));
}

// At a meeting point: while the top of the stack meets here too, its lanes come next.
void Emitter::emit_pop(uint32_t meeting, Block body) {
  llvm::Type* i32 = b_.getInt32Ty();
  Block look = new_block("look"), pop = new_block("pop");
  V depth = b_.CreateLoad(i32, depth_);
  b_.CreateCondBr(b_.CreateICmpEQ(depth, b_.getInt32(0)), body, look);
  b_.SetInsertPoint(look);
  V top = b_.CreateSub(depth, b_.getInt32(1));
  V at = place_on_stack(top);
  V meets = b_.CreateLoad(i32, b_.CreatePtrAdd(at, b_.getInt64(4)));
  b_.CreateCondBr(b_.CreateICmpEQ(meets, b_.getInt32(meeting)), pop, body);
  b_.SetInsertPoint(pop);
  V target = wake_top(top, at);
  std::set<uint32_t> targets;
  for (uint32_t b = 0; b < analysis_.flow.cfg.blocks.size(); ++b) {
    if (analysis_.parts[b] && !kills(analysis_, b) && analysis_.flow.meets[b] == meeting) {
      targets.insert(sides(analysis_.flow, b).second);
    }
  }
  targets.erase(meeting);
  jump_to(target, entries_[meeting], targets);
}

// Lanes have ended: whoever waits on top of the stack goes on.
void Emitter::emit_dispatch() {
  b_.SetInsertPoint(dispatch_);
  Block pop = new_block("pop");
  V depth = b_.CreateLoad(b_.getInt32Ty(), depth_);
  b_.CreateCondBr(b_.CreateICmpEQ(depth, b_.getInt32(0)), end_, pop);
  b_.SetInsertPoint(pop);
  V top = b_.CreateSub(depth, b_.getInt32(1));
  V target = wake_top(top, place_on_stack(top));
  std::set<uint32_t> targets;
  for (uint32_t b = 0; b < analysis_.flow.cfg.blocks.size(); ++b) {
    if (!analysis_.parts[b] || kills(analysis_, b) ||
        !analysis_.meets_by_stack[analysis_.flow.meets[b]])
      continue;
    targets.insert(sides(analysis_.flow, b).second);
    targets.insert(analysis_.flow.meets[b]);
  }
  targets.erase(analysis_.flow.cfg.exit());
  jump_to(target, end_, targets);
}

}  // namespace warpledger::exec::jit
