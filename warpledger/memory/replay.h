// Replay: keeps as many CTAs alive as the GPU holds, takes their records in the order of a
// Schedule, and sends them through a Hierarchy. The engine runs ahead as it likes; its rhythm does
// not change the result, because a batch is always taken whole.
#pragma once

#include "warpledger/memory/hierarchy.h"
#include "warpledger/memory/schedule.h"
#include "warpledger/trace/sink.h"

namespace warpledger::memory {

/// Runs the producer's launch to its end. An error is the kernel's. Counters are the same for any
/// number of threads; more than one are used where the producer allows it (Freedom::kParallel).
[[nodiscard]] Result<Counters> replay(trace::Producer& producer, const Config& config,
                                      const Schedule& schedule = {}, uint32_t threads = 1);

}  // namespace warpledger::memory
