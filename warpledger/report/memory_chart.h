// The memory chart, with the boxes and edges of ncu's: kernel, logical spaces, L1/TEX and shared
// memory, L2, device memory.
#pragma once

#include "warpledger/profile/value/profile.h"
#include "warpledger/render/document.h"

namespace warpledger::report {

[[nodiscard]] Illustration memory_chart(const profile::Profile& profile);

}  // namespace warpledger::report
