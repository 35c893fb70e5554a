// How many threads each machine instruction had: the lanes of its PTX instruction, as far as that
// tells it. All of it is modeled.
//
//   without a guard   the lanes of its PTX instruction; where that has a guard, or there is none,
//                     those of the instructions without guards in its block
//   with a guard      the lanes for which its PTX instruction ran; ptxas turns short branches into
//                     guards, so that warps execute it which skipped the PTX instruction
#pragma once

#include "warpledger/profile/value/machine_code.h"
#include "warpledger/profile/value/profile.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::profile {

/// Fills MachineLine::threads and threads_on. Pre: executions and numbers are known.
/// Post: threads_on <= threads <= 32 * executions, where they are known.
void note_threads(const Profile& profile, const std::vector<sass::SassBlock>& blocks,
                  std::vector<MachineLine>& lines);

}  // namespace warpledger::profile
