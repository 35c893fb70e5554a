// Many launches at a glance: which kernels take a program's time, what limits each, what to look at
// first.
#pragma once

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {

/// A row per kernel, the longest in all first: launches, time of all of them, share, limit, first
/// finding. A profile that stands for n launches counts n times. Kernels whose time is not modeled
/// come last, and shares are of the time that is.
/// Pre: not empty.
[[nodiscard]] Table overview(const std::vector<Profile>& profiles);

}  // namespace warpledger::profile
