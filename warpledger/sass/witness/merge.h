// Rules M1 to M5: which neighbors a widened SASS access does the work of.
#pragma once

#include "warpledger/sass/witness/ptx_side.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

/// Sets `merge` and `members` of every kept access that is wider than the PTX instruction at its
/// line; the others get their own instruction as only member.
void explain_widened(const std::vector<PtxSide>& sides, KernelWitness& kernel);

}  // namespace warpledger::sass
