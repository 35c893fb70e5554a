// clusterlaunchcontrol: a running cluster asks to take over one that has not begun. Here the answer
// is always that there is none: the machine may say so at any time (PTX ISA, clusterlaunchcontrol
// .try_cancel), every cluster then does its own tile, and all of them move the same bytes. A
// machine that gives its waiting clusters away leaves out their prologues; that is not modeled.
#include "warpledger/exec/interpreter/async/bulk.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;

constexpr uint32_t kResponseBytes = 16;  // opaque; ours is all zeros: nothing was cancelled

// response [0], mbarrier [1]; .multicast::cluster::all gives the same to every CTA of the cluster.
void answer(const Context& context, const Step& step, int lane) {
  const Space space = step.spelling().space();
  const SpaceAddress to = context.placed(context.address(step.operands[0], space, lane));
  if (to.space != Space::kShared || to.offset % kResponseBytes != 0) {
    return context.fault(step, lane,
                         "the response of clusterlaunchcontrol is outside the block's shared "
                         "memory or not aligned to 16 bytes",
                         "misaligned-access");
  }
  auto what = std::make_shared<BulkBytes>();
  what->bytes.assign(kResponseBytes, std::byte{0});
  what->pieces.push_back({static_cast<uint32_t>(to.offset), 0, kResponseBytes});
  what->step = &step;
  BulkLoad load{.what = std::move(what), .transactions = kResponseBytes};
  load.barrier = context.address(step.operands[1], space, lane);
  load.multicast = step.variant->has(Modifier::kMulticastClusterAll);
  load.ranks = load.multicast ? (1u << context.engine.cluster_size()) - 1 : 1u << context.cta.rank;
  start_load(context, step, lane, load);
}

Outcome run_try_cancel(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    if (!context.failed()) answer(context, step, lane);
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

// is_canceled p, response; get_first_ctaid d, response: undefined unless something was cancelled.
Outcome run_query_cancel(Context& context, const Step& step) {
  const bool asks = step.variant->has(Modifier::kIsCanceled);
  for_each_lane(context.lanes, [&](int lane) {
    if (asks) return context.write(step.operands[0], lane, 0);
    context.fault(step, lane,
                  "reads which block was canceled although none was: the result is undefined",
                  "nothing-cancelled", "read get_first_ctaid only where is_canceled is true");
  });
  return context.failed() ? Outcome::kStay : Outcome::kNext;
}

}  // namespace

Execute find_launch_control(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kClusterlaunchcontrolTryCancel, run_try_cancel},
      {Op::kClusterlaunchcontrolQueryCancel, run_query_cancel},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
