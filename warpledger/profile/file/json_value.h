// A profile as a JSON value, for the writers of json.h and report_file.h: what holds several
// profiles is one value, printed once.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

[[nodiscard]] nlohmann::ordered_json json_of(const Profile& profile);
/// An array, one of each.
[[nodiscard]] nlohmann::ordered_json json_of(const std::vector<Profile>& profiles);

/// For profile_from_json() alone: without spaces, and without what follows from the rest.
[[nodiscard]] std::string compact_json(const Profile& profile);

/// Indented by two, ends with a newline. What is not UTF-8 is replaced: names come from files.
[[nodiscard]] std::string print_json(const nlohmann::ordered_json& json);

}  // namespace warpledger::profile
