// profile/time/: time from counters. Blocks are the customers of a closed queueing network
// (network.h): each, in turn, waits (its start, latencies of its batches, barriers) and keeps the
// busiest unit of its SM and the busiest shared unit at work. The grid runs in waves of resident
// blocks; the last wave is what is left.
//
//   demand   of a unit: its least cycles (units.h) per block; units of one kind work side by side
//            on different warps, so several weigh as their p-norm with p = kNorm (between the sum
//            and the maximum)
//   delay    of a block with w warps, s phases between barriers, b waits for memory a phase, z
//            cycles of a warp from wait to wait and demand d of the busiest SM unit per warp and
//            wait:
//                s max(z, b z - (w - 1)(b - 1) d) + kBlockStart
//            (alone in its SM, a block takes w b d + z when w warps cover the latency, and
//            b (z + d) + (w - 1) d when they do not; less its work, that is its delay)
//   z        from the way of one warp through the machine code with nothing in its way (path.h),
//            plus kBarrier for each barrier; a wait for DRAM is the longer the busier DRAM is
//            (dram.h), which is as busy as the blocks keep it
//
// Constants and their sources stand in model.cpp. Everything here is modeled; the errors are in
// docs/validation.md. Energy is not modeled.
#pragma once

#include "warpledger/profile/time/path.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile::time {

/// Nothing when the GPU's file lacks a clock, a latency or a peak that the model needs.
[[nodiscard]] std::optional<Timing> estimate(const Evidence& evidence);

/// The same for a path that is known: what would be if the units had other work.
/// Post: estimate(e, path_of(*estimate(e))) == estimate(e).
[[nodiscard]] std::optional<Timing> estimate(const Evidence& evidence, const Path& path);

/// Cycles that every launch takes before its first and after its last block.
[[nodiscard]] double launch_overhead(const Gpu& gpu, const Latencies& latency);

}  // namespace warpledger::profile::time
