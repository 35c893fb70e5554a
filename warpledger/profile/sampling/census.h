// A census: what a whole grid asks for and executes, counted on a few blocks that stand for it
// (strata.h). Of counters that follow from addresses alone; caches are sampling.h's.
#pragma once

#include <optional>
#include <vector>

#include "warpledger/exec/run/engine.h"
#include "warpledger/memory/memory.h"
#include "warpledger/profile/sampling/strata.h"

namespace warpledger::profile {

/// What one recorded access costs in the memory model: seconds of one thread, the engine's
/// included. 77 s for 1.5 G accesses of a naive matmul, and 25 to 45 ns each for other matmuls, on
/// the machine of docs/performance.md. Decisions follow from this figure and never from a clock, so
/// that a profile is the same wherever and on however many threads it is made.
inline constexpr double kSecondsPerAccess = 50e-9;

struct Census {
  std::vector<memory::SiteCounters> sites = {};   // exact fields; the others are 0
  std::vector<exec::InstructionCount> code = {};  // by instruction
  exec::Statistics statistics = {};
  double accesses = 0;         // records of the whole grid
  double batches_per_cta = 0;  // mean, of a block's longest warp
  double deviation = 0;  // mean distance of a block's accesses from their mean, as a share of it
  uint64_t counted = 0;  // blocks that were run
  std::optional<trace::BlockLog> log = {};
  /// To run all of it through the memory model.
  [[nodiscard]] double seconds() const { return kSecondsPerAccess * accesses; }
  // The same from one half of each pair alone: how far blocks that stand for others differ.
  std::vector<std::vector<memory::SiteCounters>> halves = {};
};

/// Runs the delegates one by one on `engine`, which counts (EngineOptions::count) and is of no use
/// for anything else afterwards. `sites` stand for the engine's own. Fails with the kernel's fault.
/// With clusters, a delegate names one: its `cluster` CTAs, consecutive in the grid's order, run
/// together. Pre: engine.freedom() is not kOrdered.
[[nodiscard]] Result<Census> take_census(exec::Engine& engine, const trace::Sites& sites,
                                         const std::vector<Delegate>& delegates,
                                         uint32_t cluster = 1);

}  // namespace warpledger::profile
