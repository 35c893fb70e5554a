// The four warps of a warpgroup multiply together: a group of products is complete when all of them
// have issued it, and then for all of them. Kernels rely on it: one thread of a warpgroup that has
// waited says for all four warps that their operands may be overwritten (CUTLASS's pipelines count
// one arrival for each warpgroup).
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

inline constexpr uint32_t kWarpgroupWarps = 4;

/// The warp's open products become its next group; whoever waits for it looks again.
void commit_products(Cta& cta, Warp& warp);

/// Whether the first `groups` groups of the warp are complete: its whole warpgroup has issued them,
/// or has ended. Their operands are then no longer read.
[[nodiscard]] bool complete_products(Cta& cta, const Warp& warp, uint64_t groups);

/// Warps that wait for products of `warp` look again; called when it commits or ends.
void release_warpgroup(Cta& cta, const Warp& warp);

}  // namespace warpledger::exec::reference
