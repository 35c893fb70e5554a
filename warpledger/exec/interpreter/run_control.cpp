// Branches and ends. Calls are in run_call.cpp.
#include "warpledger/exec/interpreter/converge.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;

// All lanes to one place, or the fragment splits.
Outcome go(Context& context, const Step& step, const PerLane<uint32_t>& targets) {
  const Lanes all = context.here().lanes;
  const uint32_t first = targets[static_cast<size_t>(__builtin_ctz(all))];
  bool same = true;
  for_each_lane(all, [&](int lane) { same &= targets[static_cast<size_t>(lane)] == first; });
  if (same) {
    context.here().pc = first;
    return Outcome::kMoved;
  }
  ++context.engine.counts(context.cta).divergent_branches;
  diverge(context, targets, step.reconverge);
  return Outcome::kMoved;
}

Outcome run_bra(Context& context, const Step& step) {
  PerLane<uint32_t> targets;
  targets.fill(context.here().pc + 1);
  for_each_lane(context.lanes, [&](int lane) {
    targets[static_cast<size_t>(lane)] = static_cast<uint32_t>(step.operands[0].value);
  });
  return go(context, step, targets);
}

Outcome run_brx(Context& context, const Step& step) {
  const auto list = context.children(step.operands[1]);
  PerLane<uint32_t> targets;
  targets.fill(context.here().pc + 1);
  for_each_lane(context.lanes, [&](int lane) {
    const uint64_t index = context.read(step.operands[0], lane);
    if (index >= list.size()) {
      return context.fault(step, lane, "branch index is past the end of its target list",
                           "bad-branch-index");
    }
    targets[static_cast<size_t>(lane)] = static_cast<uint32_t>(list[index].value);
  });
  return context.failed() ? Outcome::kStay : go(context, step, targets);
}

Outcome run_ret(Context& context, const Step&) {
  if (context.lanes == 0) return Outcome::kNext;
  copy_results(context, context.lanes);
  leave(context, context.lanes);
  return context.here().lanes != 0 ? Outcome::kNext : Outcome::kStay;
}

Outcome run_exit(Context& context, const Step&) {
  if (context.lanes == 0) return Outcome::kNext;
  terminate(context, context.lanes);
  return context.here().lanes != 0 ? Outcome::kNext : Outcome::kStay;
}

Outcome run_trap(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  context.fault(step, __builtin_ctz(context.lanes), "trap", "trap");
  return Outcome::kStay;
}

Outcome run_brkpt(Context&, const Step&) { return Outcome::kNext; }

}  // namespace

Execute find_control(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kBra, run_bra},   {Op::kBrxIdx, run_brx}, {Op::kCall, run_call},   {Op::kRet, run_ret},
      {Op::kExit, run_exit}, {Op::kTrap, run_trap},  {Op::kBrkpt, run_brkpt},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
