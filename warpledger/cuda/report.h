// How profiles come back from the program: a file of records, each "profile BYTES\n" and so many
// bytes of JSON. Every launch is appended at once, so that what a crash leaves can be read.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/profile.h"

namespace warpledger::cuda {

/// Nothing is said when the file cannot be written: the command that made it will find it empty.
void append_profile(const std::string& path, const profile::Profile& profile);

/// The profiles of a report, in the order of the launches.
[[nodiscard]] Result<std::vector<profile::Profile>> read_report(const std::string& path);

}  // namespace warpledger::cuda
