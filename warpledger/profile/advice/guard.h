// Which branch parts the lanes of an instruction that runs with few of them. A block depends on a
// branch when one way out of the branch always leads to it and the other may not (control
// dependence, Ferrante et al. 1987); a branch that depends on itself keeps lanes in a loop.
//
// Of the branches that a block depends on, a loop's is named where more lanes enter the loop than
// run the block, else one at which more lanes arrive; where they arrive as thinned out as the block
// runs, the branches that those depend on are asked.
#pragma once

#include <span>

#include "warpledger/profile/value/profile.h"
#include "warpledger/ptx/forward.h"

namespace warpledger::profile {

/// Sets `guard` and `guard_is_loop` of the instructions that run with fewer lanes than a warp has.
/// Pre: `code` has the lines of all functions, those of `function` from `first` on, with counts.
void find_guards(const ptx::Module& module, const ptx::Function& function, uint32_t first,
                 double lanes_of_a_warp, std::vector<CodeLine>& code);

}  // namespace warpledger::profile
