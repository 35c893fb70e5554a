// Registers that ptxas spilled: loads and stores of local memory that PTX does not have, so that no
// engine records them. What they ask of the L1 follows from the machine code (a slot of the frame
// is 4 bytes of each lane, side by side in one line); what the caches make of them is a rule.
#pragma once

#include "warpledger/memory/hierarchy.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::profile {

/// One instruction more, with its counters, for each spill or callee save that ran. Frames of all
/// resident threads take turns in the L1:
///   share of loads that hit = min(1, L1 bytes / (frame bytes x resident threads)),
/// the others find their slot in the L2, to which every store goes on. Stated, not measured: no
/// published report spills. docs/memory-model.md compares with the machine-code engine.
/// Pre: profile.program is `kernel`'s and has counts.
void add_spills(const sass::KernelWitness& kernel, const memory::Config& config, Profile& profile);

/// The same for counters of another order of the launch, which lack them.
void copy_spills(const Profile& from, memory::Counters& to);

}  // namespace warpledger::profile
