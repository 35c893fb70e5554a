// The plan of a kernel that is written as a tile program: its tiles in shared memory and TMEM, each
// alive from the statement that defines it to the last one that reads it.
#pragma once

#include "warpledger/plan/parse.h"
#include "warpledger/tile/check.h"

namespace warpledger::plan {

/// `replaced` gives values to the program's sizes. An asynchronous copy is a ring of `stages`, 1
/// unless `replaced` says more. Fails when a size has no value, or for a TMEM tile that is not of
/// 32, 64 or 128 rows (one CTA: layouts G, E and D).
[[nodiscard]] Result<Plan> plan_of(const tile::CheckedProgram& program, size_t kernel,
                                   const Sizes& replaced = {});

}  // namespace warpledger::plan
