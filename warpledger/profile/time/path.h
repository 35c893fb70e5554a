// How long one warp takes when nothing is in its way: the machine code is walked block by block
// with the waits that ptxas wrote into it (walk.h). An instruction issues when its stall count, the
// scoreboards and the groups of copies that it waits for allow.
//
// A block begins in the state in which the predecessor leaves from which most warps come, so that a
// loop is walked in its steady state. A load is answered by the L1, the L2 or DRAM with the
// probabilities that the counters of its instruction show; a wait for several ends with the
// slowest.
#pragma once

#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile::time {

/// In SM cycles.
struct Latencies {
  double shared = 0, l1 = 0, l2 = 0;
  double dram = 0;  // while it is idle
  double busy = 0;  // dram.h: a busy DRAM adds to it in units of this
};

/// Under ncu's clocks. The way to the L2 keeps its cycles of the L2, whose clock ncu lowers with
/// the SM's; of what lies beyond, half is the controllers' that run with the L2, and half is DRAM's
/// own and keeps its nanoseconds. Nothing where the GPU's file lacks them.
[[nodiscard]] std::optional<Latencies> latencies(const Gpu& gpu);

struct Path {
  double cycles = 0;    // of a warp, barriers not waited for
  double waits = 0;     // for global or local memory, each as a share of a whole latency
  double barriers = 0;  // of a warp
};

/// What the model of time kept of it.
[[nodiscard]] Path path_of(const Timing& timing);

/// The share of what warps wait for that DRAM answers.
[[nodiscard]] double dram_chance(const Evidence& evidence);

/// Cycles that a load waits on average, by the level that answers; 0 without loads.
[[nodiscard]] double mean_wait(const Evidence& evidence, const Latencies& latency);

/// From the program; where there is none, from the PTX's instructions and batches of loads.
[[nodiscard]] Path path_of(const Evidence& evidence, const Latencies& latency);

}  // namespace warpledger::profile::time
