// Rules 1 to 6: the class of each SASS memory instruction.
#pragma once

#include "warpledger/sass/witness/ptx_side.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

/// The class of the SASS instruction kernel.code[index], which has `access`. kSunk is only a guess
/// here: pair_sunk_stores() looks for the stores that it was.
[[nodiscard]] AccessClass classify(const ptx::Module& module, const std::vector<PtxSide>& sides,
                                   const KernelWitness& kernel, uint32_t index,
                                   const MemoryAccess& access);

/// A reload of a slot that nothing but callee saves write is one itself, wherever ptxas put it.
void pair_callee_saves(KernelWitness& kernel);

/// Gives each kSunk access the stores without SASS whose work it does (rule 5): several to one
/// address, or one. What finds none becomes kMismapped.
void pair_sunk_stores(const std::vector<PtxSide>& sides, KernelWitness& kernel);

}  // namespace warpledger::sass
