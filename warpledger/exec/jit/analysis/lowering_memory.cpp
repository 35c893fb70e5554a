// What compiled code remembers and records of a step's accesses.
#include "warpledger/exec/jit/analysis/by_address.h"
#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;
using ptx::Space;
using reference::Step;
using reference::Value;

bool is_addressed(const Value& at) {
  return at.kind == Value::Kind::kIndirect || at.kind == Value::Kind::kFixed;
}

int matrices_of(const Step& step) {
  const Modifier count = step.variant->get(Slot::kCount);
  return count == Modifier::kX4 ? 4 : count == Modifier::kX2 ? 2 : 1;
}

uint32_t windows_of(const Step& step) {
  switch (step.spelling().op()) {
    case Op::kLd:
    case Op::kSt:
      return 1;
    case Op::kLdmatrix:
    case Op::kStmatrix:
      return is_lowered(step) ? 1 : 0;
    case Op::kCpAsync:
      return is_lowered(step) ? 2 : 0;
    default:
      return 0;
  }
}

bool has_window(const Step& step) {
  const Op op = step.spelling().op();
  const Space space = step.spelling().space();
  if (op == Op::kLdmatrix || op == Op::kStmatrix)
    return is_lowered(step) && space == Space::kShared;
  return (op == Op::kLd || op == Op::kSt) && is_lowered(step) &&
         (space == Space::kGlobal || space == Space::kShared || space == Space::kConst);
}

bool is_one_place(Space space) { return space != Space::kLocal && space != Space::kGeneric; }

bool is_asynchronous(const Step& step) {
  const ptx::OpcodeInfo& opcode = step.spelling().opcode();
  return step.spelling().tier() == ptx::Tier::kHopper ||
         opcode.memory == ptx::MemoryKind::kBarrierObject || opcode.family == ptx::Family::kTcgen05;
}

bool reads_shared_later(const Step& step) {
  const Op op = step.spelling().op();
  return op == Op::kWgmmaMma || op == Op::kTcgen05Mma || op == Op::kTcgen05MmaWs ||
         op == Op::kTcgen05Cp;
}

bool may_spin(const Step& step) {
  const Modifier order = step.variant->get(Slot::kOrder);
  return step.spelling().op() == Op::kLd &&
         (step.variant->has(Modifier::kVolatile) ||
          (order != Modifier::kNone && order != Modifier::kWeak));
}

bool marks_itself(const Analysis& analysis, uint32_t pc) {
  const Step& step = analysis.code->steps[pc];
  if (step.vanishes || !is_lowered(step)) return false;
  return analysis.memory_index[pc] != kNowhere || (is_lowered_copy(step) && !step.dropped);
}

uint32_t records_of(const Analysis& analysis, uint32_t pc) {
  const Step& step = analysis.code->steps[pc];
  const uint32_t accesses = analysis.memory_index[pc] == kNowhere ? 0 : windows_of(step);
  return (step.mark_before ? 1 : 0) + (step.mark_after ? 1 : 0) + (step.waits != 0 ? 1 : 0) +
         accesses + (is_block_barrier(step) || meets_for_barrier(step) ? 1 : 0);
}

}  // namespace warpledger::exec::jit
