// A placement as CUDA code: one union with a member at each offset, static_asserts that say so, and
// the TMEM columns as constants. Nothing but the CUDA headers of its types is included.
#pragma once

#include <string>

#include "warpledger/plan/place.h"

namespace warpledger::plan {

/// Post: compiled by nvcc, sizeof and offsetof equal the placement (the text asserts it itself).
[[nodiscard]] std::string emit_cuda(const Plan& plan, const Placement& placement);

}  // namespace warpledger::plan
