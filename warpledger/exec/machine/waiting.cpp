#include "warpledger/exec/machine/waiting.h"

#include <algorithm>

#include "warpledger/exec/machine/phase.h"
#include "warpledger/exec/machine/tensor_work.h"

namespace warpledger::exec::machine {
namespace {

/// Calls f(block, warp) for the warps of the blocks that run.
template <class F>
void for_each_warp(Cluster& cluster, F f) {
  for (Block* block : cluster.blocks) {
    if (block == nullptr) continue;
    for (Warp& warp : block->warps) f(*block, warp);
  }
}

bool is_at(const Warp& warp, LaneState state) {
  return std::find(warp.state.begin(), warp.state.end(), state) != warp.state.end();
}

}  // namespace

bool may_look_again(Block& block, const PhaseWait& wait) {
  const auto ends_there = [&](const LateCopy& copy) { return copy.barrier == wait.offset; };
  return load_phase({&block, wait.offset}).phase != wait.phase ||
         std::any_of(block.arriving.begin(), block.arriving.end(), ends_there) ||
         has_commit(block, wait.offset);
}

void open_cluster_barrier(Cluster& cluster) {
  bool any = false, all = true;
  for_each_warp(cluster, [&](const Block&, const Warp& warp) {
    any = any || (warp.live & warp.at_cluster) != 0;
    all = all && (warp.live & ~warp.at_cluster) == 0;
  });
  if (!any || !all) return;
  ++cluster.events;
  for_each_warp(cluster, [&](const Block&, Warp& warp) {
    warp.at_cluster = 0;
    for (LaneState& state : warp.state)
      if (state == LaneState::kAtCluster) state = LaneState::kRuns;
  });
}

bool can_move(const Block& block) { return !block.idle || block.idle_at != block.cluster->events; }

bool time_out(Cluster& cluster) {
  bool any = false;
  for_each_warp(cluster, [&](Block& block, Warp& warp) {
    for_each_lane(warp.live, [&](int lane) {
      LaneState& state = warp.state[static_cast<size_t>(lane)];
      if (state != LaneState::kAtPhase) return;
      state = LaneState::kRuns;
      warp.timed_out |= 1U << lane;
      block.idle = false;
      any = true;
    });
  });
  return any;
}

Diagnostic describe_standstill(Block& block) {
  for (const Warp& warp : block.warps) {
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      if ((warp.live >> lane & 1) == 0 || warp.state[lane] != LaneState::kAtPhase) continue;
      return {.message = "lane " + std::to_string(lane) + " of warp " + std::to_string(warp.index) +
                         " " + describe_wait(block, warp.phase[lane]),
              .code = "mbarrier-deadlock"};
    }
    const std::string who = "warp " + std::to_string(warp.index);
    if (is_at(warp, LaneState::kAtCluster))
      return {.message = who + " waits at the cluster barrier, where other warps never arrive",
              .code = "cluster-deadlock"};
    if (is_at(warp, LaneState::kAtProducts))
      return {.message = who + " waits for products that its warpgroup never issues",
              .code = "warpgroup-deadlock"};
  }
  return {.message = "every warp of a block waits, and no other warp can arrive",
          .code = "barrier-deadlock"};
}

}  // namespace warpledger::exec::machine
