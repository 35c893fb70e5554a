// Which accesses of a block off the same register are checked together.
#pragma once

#include "warpledger/exec/jit/analysis/analysis.h"

namespace warpledger::exec::jit {

/// Fills memory_index, windows, copies, leader, from_leader and span; how registers are held must
/// be known.
void group_accesses(Analysis& analysis);

}  // namespace warpledger::exec::jit
