// What may raise the occupancy of a profiled launch: gpu/advice.h as far as the machine code
// allows.
#pragma once

#include "warpledger/gpu/advice.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// advise(), without limits of registers below what the code holds at once: the compiler would
/// spill. Which of its values it could compute again instead is not known.
[[nodiscard]] Result<Advice> possible_changes(const Profile& profile);

}  // namespace warpledger::profile
