// The first screen: readable by somebody who has never used ncu.
#pragma once

#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {

/// 188x250: without the trailing ones.
[[nodiscard]] std::string dims(const Extent& extent);

/// What was launched on what, in one line; then what is not exact about it, if anything.
[[nodiscard]] std::vector<std::string> headline(const Profile& profile);

/// Bytes between threads, L1, L2 and DRAM, both ways, and what each level had already.
[[nodiscard]] Table journey(const Profile& profile);

/// What a launch waits for (limit.h): the unit that is busy longest, "latency" where none is busy
/// for most of the modeled time, host memory; "" when nothing has anything to do.
[[nodiscard]] std::string limit_of(const Profile& profile);

/// The units that are busy longest.
[[nodiscard]] Table busiest_units(const Profile& profile);

/// "1. title ... \n   because\n   What helps: ..." for each.
[[nodiscard]] std::string to_text(const std::vector<Finding>& findings);
/// The same for scripts: code, where, title, because, remedy, saving.
[[nodiscard]] Table table_of(const std::vector<Finding>& findings);

}  // namespace warpledger::profile
