// Loops of a PTX function, and how often its edges ran as far as block counts tell.
#pragma once

#include "warpledger/ptx/cfg.h"
#include "warpledger/sass/witness/counts.h"

namespace warpledger::sass {

/// The innermost natural loop around a block: its header and its blocks, sorted. Empty without one.
struct Loop {
  uint32_t header = 0;
  std::vector<uint32_t> blocks = {};
};
[[nodiscard]] Loop innermost_loop(const ptx::Cfg& cfg, uint32_t block);

/// Adds to counts.edges what follows from counts.blocks: what flows in flows out. Pre: no warp
/// diverged, else a block runs less often than the edges to it.
void derive_edges(const ptx::Cfg& cfg, FunctionCounts& counts);

/// How often warps came into the loop from outside; nothing where an edge is not known.
[[nodiscard]] std::optional<uint64_t> loop_entries(const ptx::Cfg& cfg, const Loop& loop,
                                                   const FunctionCounts& counts);

}  // namespace warpledger::sass
