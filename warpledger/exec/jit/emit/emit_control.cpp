// LLVM. Branches, the lanes that take them, and where they meet again (flow.h).
#include "warpledger/exec/jit/emit/emit_control.h"

#include <llvm/IR/MDBuilder.h>

#include <set>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_count.h"
#include "warpledger/exec/jit/emit/emit_record.h"

namespace warpledger::exec::jit {

void Emitter::branch(V condition, Block yes, Block no, uint32_t yes_weight, uint32_t no_weight) {
  llvm::MDBuilder weights(module.getContext());
  CreateCondBr(condition, yes, no, weights.createBranchWeights(yes_weight, no_weight));
}

void Emitter::guess(V condition) {
  const uint32_t index = pc - analysis.flow.cfg.blocks[block].first;
  if (general[index] == nullptr) general[index] = new_block("general");
  Block on = new_block("fast");
  branch(condition, on, general[index], 100000, 1);
  SetInsertPoint(on);
}

namespace {

using ptx::Op;

void emit_end(Emitter& e, uint32_t block) {
  if (!e.analysis.may_be_partial[block]) {
    e.CreateBr(e.end);
    return;
  }
  V alive = e.CreateLoad(e.getInt32Ty(), e.variables.alive);
  e.CreateStore(e.CreateAnd(alive, e.CreateNot(e.mask())), e.variables.alive);
  call_runtime(e, "wl_jit_end_lanes", e.getVoidTy(), {e.mask()});
  e.CreateBr(e.dispatch);
}

// Lanes that end here while others go on.
void emit_kill(Emitter& e, uint32_t block, V condition) {
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  const uint32_t next = here.end < e.analysis.flow.cfg.block_of.size()
                            ? e.analysis.flow.cfg.block_of[here.end]
                            : e.analysis.flow.cfg.exit();
  V ended = e.CreateAnd(e.mask(), e.bits_of(condition));
  Block some = e.new_block("some_end"), on = e.new_block("on");
  e.branch(e.CreateICmpEQ(ended, e.getInt32(0)), on, some, 1000, 1);
  e.SetInsertPoint(some);
  if (here.successors.size() == 2) {  // the exit's own instruction
    e.CreateStore(e.CreateSub(e.CreateLoad(e.getInt64Ty(), e.variables.fuel), e.getInt64(1)),
                  e.variables.fuel);
    count_block(e, here.successors[0], ended);
  }
  V left = e.CreateAnd(e.mask(), e.CreateNot(ended));
  if (e.code.steps[here.end - 1].spelling().op() == Op::kBra) {
    count_parting(e, e.CreateICmpNE(left, e.getInt32(0)));
  }
  V alive = e.CreateLoad(e.getInt32Ty(), e.variables.alive);
  e.CreateStore(e.CreateAnd(alive, e.CreateNot(ended)), e.variables.alive);
  call_runtime(e, "wl_jit_end_lanes", e.getVoidTy(), {ended});
  e.CreateStore(left, e.variables.mask);
  e.CreateCondBr(e.CreateICmpEQ(left, e.getInt32(0)),
                 e.analysis.may_be_partial[block] ? e.dispatch : e.end, on);
  e.SetInsertPoint(on);
  if (next == e.analysis.flow.cfg.exit()) return emit_end(e, block);
  e.CreateBr(e.entry_of(next));
}

// An entry: the block to go to, where its lanes meet the others, who they are.
V place_on_stack(Emitter& e, V depth) {
  return e.CreateGEP(llvm::ArrayType::get(e.getInt32Ty(), 4), e.variables.stack, depth);
}

void push(Emitter& e, V block, uint32_t meeting, V mask) {
  V depth = e.CreateLoad(e.getInt32Ty(), e.variables.depth);
  V at = place_on_stack(e, depth);
  e.CreateStore(block, at);
  e.CreateStore(e.getInt32(meeting), e.CreatePtrAdd(at, e.getInt64(4)));
  e.CreateStore(mask, e.CreatePtrAdd(at, e.getInt64(8)));
  e.CreateStore(e.CreateAdd(depth, e.getInt32(1)), e.variables.depth);
}

// All lanes one way, all the other, or both in turn: the lower block first, as the interpreter
// does.
void emit_parting(Emitter& e, uint32_t block, V condition) {
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  const uint32_t taken = here.successors[0], next = here.successors[1];
  const uint32_t meeting = e.analysis.flow.meets[block];
  V now = e.mask();
  V takes = e.CreateAnd(now, e.CreateBitCast(condition, e.getInt32Ty()));
  V stays = e.CreateAnd(now, e.CreateNot(takes));
  Block some = e.new_block("some"), both = e.new_block("both");
  e.CreateCondBr(e.CreateICmpEQ(takes, e.getInt32(0)), e.entry_of(next), some);
  e.SetInsertPoint(some);
  e.branch(e.CreateICmpEQ(stays, e.getInt32(0)), e.entry_of(taken), both, 100, 1);
  e.SetInsertPoint(both);
  count_parting(e, e.getTrue());
  if (e.analysis.meets_by_stack[meeting] && meeting != e.analysis.flow.cfg.exit()) {
    push(e, e.getInt32(meeting), meeting, now);
  }
  const auto [first, second] = sides(e.analysis.flow, block);
  V first_lanes = first == taken ? takes : stays, second_lanes = first == taken ? stays : takes;
  uint32_t runs = first;
  V lanes = first_lanes;
  if (first == meeting) {
    runs = second, lanes = second_lanes;
  } else if (second != meeting) {
    push(e, e.getInt32(second), meeting, second_lanes);
  }
  e.CreateStore(lanes, e.variables.mask);
  e.CreateBr(e.entry_of(runs));
}

void emit_branch(Emitter& e, uint32_t block) {
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  const Step& last = e.code.steps[here.end - 1];
  const auto taken_pc = static_cast<uint32_t>(last.operands[0].value);
  const auto block_at = [&](uint32_t pc) {
    return pc < e.analysis.flow.cfg.block_of.size() ? e.analysis.flow.cfg.block_of[pc]
                                                    : e.analysis.flow.cfg.exit();
  };
  const uint32_t taken = block_at(taken_pc), next = block_at(here.end);
  const uint32_t exit = e.analysis.flow.cfg.exit();
  V condition = last.guard == UINT32_MAX ? e.getTrue() : guard_of(e, last);
  if (last.guard != UINT32_MAX) {
    count_guarded(e, here.end - 1, e.CreateAnd(e.mask(), e.bits_of(condition)));
  }
  if (last.guard == UINT32_MAX || taken == next) {
    if (taken == exit) return emit_end(e, block);
    e.CreateBr(e.entry_of(taken));
    return;
  }
  if (taken == exit || kills(e.analysis, block)) return emit_kill(e, block, condition);
  if (condition->getType()->isVectorTy()) return emit_parting(e, block, condition);
  if (next == exit) {
    Block ends = e.new_block("ends");
    e.CreateCondBr(condition, e.entry_of(taken), ends);
    e.SetInsertPoint(ends);
    return emit_end(e, block);
  }
  e.CreateCondBr(condition, e.entry_of(taken), e.entry_of(next));
}

// Takes the entry at the top off the stack: its lanes are next, in the block that is answered.
// Where all of them have ended, whoever waits below them.
V wake_top(Emitter& e, V top, V at) {
  llvm::Type* i32 = e.getInt32Ty();
  Block go = e.new_block("go");
  e.CreateStore(top, e.variables.depth);
  V waiting = e.CreateAnd(e.CreateLoad(i32, e.CreatePtrAdd(at, e.getInt64(8))),
                          e.CreateLoad(i32, e.variables.alive));
  V target = e.CreateLoad(i32, at);
  e.CreateStore(waiting, e.variables.mask);
  e.CreateCondBr(e.CreateICmpEQ(waiting, e.getInt32(0)), e.dispatch, go);
  e.SetInsertPoint(go);
  return target;
}

void jump_to(Emitter& e, V target, Block otherwise, const std::set<uint32_t>& targets) {
  llvm::SwitchInst* next = e.CreateSwitch(target, otherwise, static_cast<unsigned>(targets.size()));
  for (const uint32_t block : targets) next->addCase(e.getInt32(block), e.entry_of(block));
}

}  // namespace

V guard_of(Emitter& e, const Step& step) {
  const LaneValue guard = read_slot(e, step.guard);
  V condition = guard.vector != nullptr ? guard.vector : guard.scalar;
  return step.guard_negated ? e.CreateNot(condition) : condition;
}

void emit_terminator(Emitter& e, uint32_t block) {
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  const Step& last = e.code.steps[here.end - 1];
  const Op op = last.spelling().op();
  const bool control = op == Op::kBra || op == Op::kRet || op == Op::kExit;
  if (!control) {  // falls through, perhaps off the end
    if (here.successors.empty()) return emit_end(e, block);
    e.CreateBr(e.entry_of(here.successors[0]));
    return;
  }
  mark_wait(e, last);
  if (op == Op::kBra) return emit_branch(e, block);
  if (last.guard == UINT32_MAX) return emit_end(e, block);
  V condition = guard_of(e, last);
  count_guarded(e, here.end - 1, e.CreateAnd(e.mask(), e.bits_of(condition)));
  emit_kill(e, block, condition);
}

void emit_pop(Emitter& e, uint32_t meeting, Block body) {
  llvm::Type* i32 = e.getInt32Ty();
  Block look = e.new_block("look"), pop = e.new_block("pop");
  V depth = e.CreateLoad(i32, e.variables.depth);
  e.CreateCondBr(e.CreateICmpEQ(depth, e.getInt32(0)), body, look);
  e.SetInsertPoint(look);
  V top = e.CreateSub(depth, e.getInt32(1));
  V at = place_on_stack(e, top);
  V meets = e.CreateLoad(i32, e.CreatePtrAdd(at, e.getInt64(4)));
  e.CreateCondBr(e.CreateICmpEQ(meets, e.getInt32(meeting)), pop, body);
  e.SetInsertPoint(pop);
  V target = wake_top(e, top, at);
  std::set<uint32_t> targets;
  for (uint32_t b = 0; b < e.analysis.flow.cfg.blocks.size(); ++b) {
    if (e.analysis.parts[b] && !kills(e.analysis, b) && e.analysis.flow.meets[b] == meeting) {
      targets.insert(sides(e.analysis.flow, b).second);
    }
  }
  targets.erase(meeting);
  jump_to(e, target, e.entries[meeting], targets);
}

void emit_dispatch(Emitter& e) {
  e.SetInsertPoint(e.dispatch);
  Block pop = e.new_block("pop");
  V depth = e.CreateLoad(e.getInt32Ty(), e.variables.depth);
  e.CreateCondBr(e.CreateICmpEQ(depth, e.getInt32(0)), e.end, pop);
  e.SetInsertPoint(pop);
  V top = e.CreateSub(depth, e.getInt32(1));
  V target = wake_top(e, top, place_on_stack(e, top));
  std::set<uint32_t> targets;
  for (uint32_t b = 0; b < e.analysis.flow.cfg.blocks.size(); ++b) {
    if (!e.analysis.parts[b] || kills(e.analysis, b) ||
        !e.analysis.meets_by_stack[e.analysis.flow.meets[b]])
      continue;
    targets.insert(sides(e.analysis.flow, b).second);
    targets.insert(e.analysis.flow.meets[b]);
  }
  targets.erase(e.analysis.flow.cfg.exit());
  jump_to(e, target, e.end, targets);
}

}  // namespace warpledger::exec::jit
