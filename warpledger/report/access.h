// A picture of one request: which lane touches which 32-byte sector (global memory) or which bank
// (shared memory).
#pragma once

#include "warpledger/profile/value/profile.h"
#include "warpledger/render/document.h"

namespace warpledger::report {

/// Pre: the example is one of the profile's.
[[nodiscard]] Illustration access_picture(const profile::Profile& profile,
                                          const profile::AccessExample& example);

}  // namespace warpledger::report
