// Waiting for other warps and other blocks: clusters, their barrier, and what happens when nobody
// can go on.
#pragma once

#include "warpledger/exec/machine/state.h"

namespace warpledger::exec::machine {

/// Whether what a lane waits for at an mbarrier is there, or is on its way: it looks again.
[[nodiscard]] bool may_look_again(Block& block, const PhaseWait& wait);

/// Whether the warp's warpgroup has issued the products that it waits for, or has ended.
[[nodiscard]] bool has_products(const Block& block, const Warp& warp);

/// Opens the barrier of the block's cluster when all threads have arrived or ended.
void open_cluster_barrier(Cluster& cluster);

/// Whether the block's warps may go on by themselves: it did something in its last turn, or
/// something has happened in its cluster since.
[[nodiscard]] bool can_move(const Block& block);

/// Lets waits at mbarriers of the cluster answer false, as the time limit of hardware makes them;
/// whether there are any.
bool time_out(Cluster& cluster);

/// What the lanes of the block wait for, when no warp of its cluster can go on.
[[nodiscard]] Diagnostic describe_standstill(Block& block);

}  // namespace warpledger::exec::machine
