// Which steps may touch registers that a wgmma in flight uses. The interpreter looks at every step
// while something is in flight; compiled code asks it about these alone.
//
// Forwards through the control flow: registers of a wgmma.mma_async, and copies of such, until a
// wgmma.wait_group that leaves fewer groups than were committed since, on every way there.
#pragma once

#include <vector>

#include "warpledger/exec/jit/analysis/flow.h"

namespace warpledger::exec::jit {

/// By step; empty where the code has no wgmma.
[[nodiscard]] std::vector<bool> find_touching_steps(const reference::Code& code, const Flow& flow);

}  // namespace warpledger::exec::jit
