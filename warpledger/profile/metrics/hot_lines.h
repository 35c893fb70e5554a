// The lines of the source that waste most, as ncu's rules list them: excessive sectors of global
// memory, excessive wavefronts of shared memory.
#pragma once

#include <vector>

#include "warpledger/base/table.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// At most ten lines of each kind, most first; kinds without waste are left out.
[[nodiscard]] std::vector<Table> hot_lines(const Profile& profile);

}  // namespace warpledger::profile
