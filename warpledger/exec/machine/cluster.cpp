// The barrier of clusters, and registers that warps give to each other.
#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::machine {

void arrive_at_cluster(Context& context, const Instruction& instruction, Lanes lanes) {
  Warp& warp = *context.warp;
  if ((warp.owes_cluster & lanes) != 0)
    return context.stop(
        instruction.text + " arrives at the cluster barrier twice without waiting in between",
        "bad-cluster-barrier");
  warp.owes_cluster |= lanes;
  warp.at_cluster |= lanes;
  ++context.block->cluster->events;
}

void wait_at_cluster(Context& context, const Instruction& instruction, Lanes lanes) {
  Warp& warp = *context.warp;
  if ((lanes & ~warp.owes_cluster) != 0)
    return context.stop(instruction.text + " waits at the cluster barrier without having arrived",
                        "bad-cluster-barrier");
  context.repeats = (warp.at_cluster & lanes) != 0;
  if (!context.repeats) {
    warp.owes_cluster &= ~lanes;
    return;
  }
  for_each_lane(lanes,
                [&](int lane) { warp.state[static_cast<size_t>(lane)] = LaneState::kAtCluster; });
}

/// Registers are there for all: .TRY_ALLOC, which answers whether it got them, always does.
void set_register_count(Context& context, const Instruction& instruction, Lanes lanes) {
  for_each_lane(lanes, [&](int lane) {
    if (is_predicate(instruction.operands[0]))
      Lane(context, lane).set_predicate(instruction.operands[0], true);
  });
}

}  // namespace warpledger::exec::machine
