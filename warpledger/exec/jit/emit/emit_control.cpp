// LLVM. Branches, the lanes that take them, and where they meet again (flow.h).
#include "warpledger/exec/jit/emit/emit_control.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include <map>
#include <set>

#include "warpledger/exec/jit/analysis/by_address.h"
#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/emit/emit_call.h"
#include "warpledger/exec/jit/emit/emit_count.h"
#include "warpledger/exec/jit/emit/emit_order.h"
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

// Takes lanes out of the innermost call, or out of the kernel: they return, or end.
void drop_lanes(Emitter& e, V lanes, bool threads) {
  V alive = e.CreateLoad(e.getInt32Ty(), e.variables.alive);
  e.CreateStore(e.CreateAnd(alive, e.CreateNot(lanes)), e.variables.alive);
  if (!threads) return;
  V ended = e.CreateLoad(e.getInt32Ty(), e.variables.ended);
  e.CreateStore(e.CreateOr(ended, lanes), e.variables.ended);
  call_runtime(e, "wl_jit_end_lanes", e.getVoidTy(), {lanes});
}

/// Whether the instruction ends threads, where it stands in an inlined function or in the kernel.
bool ends_threads(const Emitter& e, uint32_t block, Op op) {
  return e.analysis.flow.instance_of[block] == 0 || op != Op::kRet;
}

void emit_end(Emitter& e, uint32_t block) {
  const uint32_t instance = e.analysis.flow.instance_of[block];
  const Op op = e.code.steps[e.analysis.flow.cfg.blocks[block].end - 1].spelling().op();
  const bool threads = ends_threads(e, block, op);
  if (!e.analysis.may_be_partial[block] && (instance == 0 || !threads)) {
    e.CreateBr(e.returns[instance]);
    return;
  }
  drop_lanes(e, e.mask(), threads);
  if (e.code.by_address) return run_next(e);
  e.CreateBr(e.dispatch);
}

// A call: its lanes are all that there are until they have come back.
void emit_enter(Emitter& e, uint32_t instance) {
  const Variables::Call& call = e.variables.calls[instance];
  llvm::Type* i32 = e.getInt32Ty();
  e.CreateStore(e.mask(), call.mask);
  e.CreateStore(e.CreateLoad(i32, e.variables.alive), call.alive);
  e.CreateStore(e.CreateLoad(i32, e.variables.base), call.base);
  e.CreateStore(e.mask(), e.variables.alive);
  e.CreateStore(e.CreateLoad(i32, e.variables.depth), e.variables.base);
  e.CreateStore(e.getInt32(instance), e.variables.instance);
}

void emit_return(Emitter& e, uint32_t instance) {
  const Variables::Call& call = e.variables.calls[instance];
  const reference::Instance& of = e.analysis.flow.instances[instance];
  llvm::Type* i32 = e.getInt32Ty();
  V living = e.CreateNot(e.CreateLoad(i32, e.variables.ended));
  V lanes = e.CreateAnd(e.CreateLoad(i32, call.mask), living);
  e.CreateStore(lanes, e.variables.mask);
  e.CreateStore(e.CreateAnd(e.CreateLoad(i32, call.alive), living), e.variables.alive);
  e.CreateStore(e.CreateLoad(i32, call.base), e.variables.base);
  e.CreateStore(e.getInt32(of.parent), e.variables.instance);
  e.CreateCondBr(e.CreateICmpEQ(lanes, e.getInt32(0)), e.dispatch, e.entry_of(of.return_block));
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
  Op op = e.code.steps[here.end - 1].spelling().op();
  const bool branches = op == Op::kBra;
  if (branches && here.successors.size() == 2) {  // the exit's own instruction
    const uint32_t exit = here.successors[0];
    V fuel = e.CreateLoad(e.getInt64Ty(), e.variables.fuel);
    e.CreateStore(e.CreateSub(fuel, e.getInt64(instructions_of(e.analysis, exit))),
                  e.variables.fuel);
    count_block(e, exit, ended);
    op = e.code.steps[e.analysis.flow.cfg.blocks[exit].first].spelling().op();
  }
  V left = e.CreateAnd(e.mask(), e.CreateNot(ended));
  if (branches) count_parting(e, e.CreateICmpNE(left, e.getInt32(0)));
  const bool threads = ends_threads(e, block, op);
  const uint32_t instance = e.analysis.flow.instance_of[block];
  drop_lanes(e, ended, threads);
  e.CreateStore(left, e.variables.mask);
  const bool whole = !e.analysis.may_be_partial[block] && (instance == 0 || !threads);
  if (e.code.by_address && !whole) {  // some may have waited for those that ended
    part_by_address(e, {{next, left}});
  } else {
    e.CreateCondBr(e.CreateICmpEQ(left, e.getInt32(0)), whole ? e.returns[instance] : e.dispatch,
                   on);
  }
  e.SetInsertPoint(on);
  if (next == e.analysis.flow.cfg.exit()) return emit_end(e, block);
  e.CreateBr(way(e, block, next));
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

// Where all lanes go on together, unless that is the end or needs no stack.
void push_meeting(Emitter& e, uint32_t block, V lanes) {
  const uint32_t meeting = e.analysis.flow.meets[block];
  if (!e.analysis.meets_by_stack[meeting] || e.analysis.flow.meets_at_end(block)) return;
  push(e, e.getInt32(meeting), meeting, lanes);
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
  e.CreateCondBr(e.CreateICmpEQ(takes, e.getInt32(0)), way(e, block, next), some);
  e.SetInsertPoint(some);
  e.branch(e.CreateICmpEQ(stays, e.getInt32(0)), way(e, block, taken), both, 100, 1);
  e.SetInsertPoint(both);
  if (!is_silent(e.code.steps[here.end - 1])) count_parting(e, e.getTrue());
  if (e.code.by_address) return part_by_address(e, {{taken, takes}, {next, stays}});
  push_meeting(e, block, now);
  const std::vector<uint32_t> sides = sides_of(e.analysis.flow, block);
  const uint32_t first = sides[0], second = sides[1];
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
    const uint32_t instance = e.analysis.flow.instance_of[taken];
    if (instance > e.analysis.flow.instance_of[block]) emit_enter(e, instance);
    e.CreateBr(way(e, block, taken));
    return;
  }
  if (taken == exit || kills(e.analysis, block)) return emit_kill(e, block, condition);
  if (condition->getType()->isVectorTy()) return emit_parting(e, block, condition);
  if (next == exit) {
    Block ends = e.new_block("ends");
    e.CreateCondBr(condition, way(e, block, taken), ends);
    e.SetInsertPoint(ends);
    return emit_end(e, block);
  }
  e.CreateCondBr(condition, way(e, block, taken), way(e, block, next));
}

// brx.idx. `cases`: by block that the table leads to, its places in the table.
using Cases = std::map<uint32_t, std::vector<uint32_t>>;

void emit_switch(Emitter& e, const Cases& cases, V index, Block beyond) {
  llvm::SwitchInst* jump = e.CreateSwitch(index, beyond);
  for (const auto& [to, places] : cases) {
    Block entry = way(e, e.block, to);
    for (const uint32_t place : places) jump->addCase(e.getInt32(place), entry);
  }
}

// The lanes of each block wait on the stack, the lowest on top; then the top runs.
void emit_table_parting(Emitter& e, uint32_t block, const Cases& cases, V indices) {
  const uint32_t meeting = e.analysis.flow.meets[block];
  V now = e.mask();
  V first = e.CreateExtractElement(
      indices, e.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, now, e.getFalse()));
  std::map<uint32_t, V> lanes;
  Block apart = e.new_block("apart"), same = e.new_block("same");
  V together = e.getFalse();
  for (const auto& [to, places] : cases) {
    V here = llvm::Constant::getNullValue(e.lanes_of(e.getInt1Ty()));
    for (const uint32_t place : places)
      here = e.CreateOr(here, e.CreateICmpEQ(indices, e.splat(e.getInt32(place))));
    lanes[to] = e.CreateAnd(now, e.bits_of(here));
    together = e.CreateOr(together, e.CreateICmpEQ(lanes[to], now));
  }
  e.CreateCondBr(together, same, apart);
  e.SetInsertPoint(same);
  emit_switch(e, cases, first, e.leave);
  e.SetInsertPoint(apart);
  if (!is_silent(e.code.steps[e.pc])) count_parting(e, e.getTrue());
  if (e.code.by_address) return part_by_address(e, lanes);
  push_meeting(e, block, now);
  for (auto one = lanes.rbegin(); one != lanes.rend(); ++one) {
    if (one->first == meeting) continue;
    Block some = e.new_block("some"), on = e.new_block("on");
    e.CreateCondBr(e.CreateICmpEQ(one->second, e.getInt32(0)), on, some);
    e.SetInsertPoint(some);
    push(e, e.getInt32(one->first), meeting, one->second);
    e.CreateBr(on);
    e.SetInsertPoint(on);
  }
  e.CreateBr(e.dispatch);
}

void emit_table_branch(Emitter& e, uint32_t block) {
  const ptx::Block& here = e.analysis.flow.cfg.blocks[block];
  const Step& last = e.code.steps[here.end - 1];
  const auto targets = elements(e, last.operands[1]);
  Cases cases;
  for (uint32_t i = 0; i < targets.size(); ++i) {
    const uint64_t pc = targets[i].value;
    const auto& block_of = e.analysis.flow.cfg.block_of;
    cases[pc < block_of.size() ? block_of[pc] : e.analysis.flow.cfg.exit()].push_back(i);
  }
  const bool by_lane = e.analysis.parts[block] || !is_uniform(e, last.operands[0]);
  V index = operand(e, last.operands[0], 32, by_lane);
  V beyond = e.CreateICmpUGE(index, number(index, targets.size()));
  V wrong = e.CreateAnd(e.mask(), e.bits_of(beyond));
  Block fault = e.new_block("beyond"), on = e.new_block("on");
  e.branch(e.CreateICmpNE(wrong, e.getInt32(0)), fault, on, 1, 100000);
  e.SetInsertPoint(fault);
  emit_interpreted(e, last);  // says so, and ends the warp
  e.guard = nullptr;
  e.CreateBr(e.leave);
  e.SetInsertPoint(on);
  if (by_lane) return emit_table_parting(e, block, cases, index);
  emit_switch(e, cases, index, e.leave);
}

// Takes the entry at the top off the stack: its lanes are next, in the block that is answered.
// If all of them have ended, the lanes that wait below them.
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
  const bool control = op == Op::kBra || op == Op::kBrxIdx || op == Op::kRet || op == Op::kExit;
  if (!control) {  // falls through, perhaps off the end
    if (here.successors.empty()) return emit_end(e, block);
    if (const Step* meeting = meeting_of(e.analysis, block))
      return emit_convergence_wait(e, block, *meeting);
    e.CreateBr(way(e, block, here.successors[0]));
    return;
  }
  mark_wait(e, last);
  if (op == Op::kBra) return emit_branch(e, block);
  if (op == Op::kBrxIdx) return emit_table_branch(e, block);
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
      const auto waiting = waiting_sides(e.analysis, b);
      targets.insert(waiting.begin(), waiting.end());
    }
  }
  targets.erase(meeting);
  jump_to(e, target, e.entries[meeting], targets);
}

void emit_dispatch(Emitter& e) {
  e.SetInsertPoint(e.dispatch);
  Block pop = e.new_block("pop");
  Block over = e.new_block("over");
  V depth = e.CreateLoad(e.getInt32Ty(), e.variables.depth);
  V base = e.CreateLoad(e.getInt32Ty(), e.variables.base);
  e.CreateCondBr(e.CreateICmpEQ(depth, base), over, pop);
  e.SetInsertPoint(over);  // no lane waits: the call or the kernel has ended
  V instance = e.CreateLoad(e.getInt32Ty(), e.variables.instance);
  llvm::SwitchInst* back = e.CreateSwitch(instance, e.end);
  for (uint32_t i = 1; i < e.returns.size(); ++i) back->addCase(e.getInt32(i), e.returns[i]);
  e.SetInsertPoint(pop);
  V top = e.CreateSub(depth, e.getInt32(1));
  V target = wake_top(e, top, place_on_stack(e, top));
  std::set<uint32_t> targets;
  for (uint32_t b = 0; b < e.analysis.flow.cfg.blocks.size(); ++b) {
    if (!e.analysis.parts[b] || kills(e.analysis, b) ||
        !e.analysis.meets_by_stack[e.analysis.flow.meets[b]])
      continue;
    const auto waiting = waiting_sides(e.analysis, b);
    targets.insert(waiting.begin(), waiting.end());
    targets.insert(e.analysis.flow.meets[b]);
  }
  targets.erase(e.analysis.flow.cfg.exit());
  jump_to(e, target, e.end, targets);
}

void emit_returns(Emitter& e) {
  for (uint32_t i = 1; i < e.analysis.flow.instances.size(); ++i) {
    e.SetInsertPoint(e.returns[i]);
    emit_return(e, i);
  }
}

}  // namespace warpledger::exec::jit
