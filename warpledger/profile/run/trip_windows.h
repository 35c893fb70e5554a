// Loads of shared memory in loops that ptxas unrolled: one wide access does the work of several
// trips, so that not every execution in PTX is one in the machine code.
#pragma once

#include <map>

#include "warpledger/sass/witness/witness.h"

namespace warpledger::profile {

/// The width in bytes of such accesses, by the PTX instruction that stands for them (the first of
/// SassAccess::members). All its wide copies are as wide. Narrow copies beside wide ones, for a
/// value that is needed at once, are left out; one in another block may be the loop's remainder,
/// and then nothing is said.
[[nodiscard]] std::map<sass::Place, uint32_t> trip_windows(const sass::KernelWitness& kernel);

}  // namespace warpledger::profile
