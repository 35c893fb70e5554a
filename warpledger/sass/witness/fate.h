// The other table: what became of each PTX memory instruction.
#pragma once

#include "warpledger/sass/witness/ptx_side.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

/// Fills kernel.fates for its own function and every other whose lines its code names.
void tell_fates(const ptx::Module& module, const std::vector<PtxSide>& sides,
                KernelWitness& kernel);

}  // namespace warpledger::sass
