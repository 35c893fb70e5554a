// What warps wait for, of a profile that has its counters and its machine code: states, the line
// that is waited for, and what the simulated SM leaves out.
#pragma once

#include <optional>

#include "warpledger/profile/value/profile.h"
#include "warpledger/sass/witness/witness.h"
#include "warpledger/sm/paths.h"

namespace warpledger::profile {

/// `kernel`: null: there is no machine code. `paths`: of warps with mbarriers, where they were
/// recorded.
void describe_states(const sass::KernelWitness* kernel, const std::optional<sm::Paths>& paths,
                     Profile& profile);

}  // namespace warpledger::profile
