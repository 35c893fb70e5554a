// Checks offsets that a person wrote (`at`): overlaps of buffers that no barrier keeps apart in
// time, alignment, the limits of the GPU.
#pragma once

#include "warpledger/gpu/gpu.h"
#include "warpledger/plan/place.h"

namespace warpledger::plan {

struct Verification {
  Placement written;               // as the author placed it; lower bounds from our own packing
  int64_t overlaid_pairs = 0;      // pairs that share bytes, each ordered by a barrier
  std::vector<Diagnostic> faults;  // empty: the plan is sound
};

/// Fails when a buffer has no `at`.
[[nodiscard]] Result<Verification> verify(const Plan& plan, const Gpu& gpu);

}  // namespace warpledger::plan
