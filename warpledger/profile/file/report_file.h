// What `-o` writes and `--import` reads: the profiles of one or more launches, in order. Of one
// launch it is the profile's own JSON (json.h). An array of them, which `profile --json` prints of
// a program, is read too, and so are the records in a report file of ncu that warpledger wrote
// (report/ncu/).
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/source.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// Ends with a newline.
[[nodiscard]] std::string to_report(const std::vector<Profile>& profiles);

/// Post: to_report(*read_report(Source(_, to_report(p)))) == to_report(p), as json.h says of each.
[[nodiscard]] Result<std::vector<Profile>> read_report(const Source& source);

/// What a store keeps of a profile: the JSON, and what device-side printf wrote, byte by byte.
/// Post: from_record(to_record(p)) prints as p does on every page.
[[nodiscard]] std::string to_record(const Profile& profile);
[[nodiscard]] Result<Profile> from_record(const std::string& record);

}  // namespace warpledger::profile
