// How often warps take the slow paths that ptxas put into the machine code (a division whose
// operands are denormal, zero or infinite). PTX has one instruction there, so that the launch's own
// counts do not tell; after it, a few blocks of the grid run once more, as machine code.
#pragma once

#include "warpledger/profile/run/plan.h"
#include "warpledger/sass/witness/seen.h"

namespace warpledger::profile {

/// The launch as machine code, in the same memory. Null where the kernel has no such paths, where
/// the machine code cannot run, or where memory is not to be written once more: slow paths then
/// count as never taken. Before the cell is locked: NVIDIA's tools list the code.
[[nodiscard]] std::unique_ptr<exec::Engine> open_slow_paths(const Plan& plan,
                                                            const exec::EngineOptions& options,
                                                            Loaded& loaded);

/// Pre: the launch is over, and its results were read.
[[nodiscard]] sass::Shares see_slow_paths(const Plan& plan, exec::Engine& machine);

}  // namespace warpledger::profile
