// What warps wait for: ncu's chart of warp states, and the source lines at which they stand.
#pragma once

#include "warpledger/profile/value/profile.h"
#include "warpledger/render/document.h"

namespace warpledger::report {

/// Of a profile without states: a sentence that says why.
[[nodiscard]] Panel warp_states_panel(const profile::Profile& profile);

}  // namespace warpledger::report
