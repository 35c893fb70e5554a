// Warp states as JSON: warp cycles by reason, over the launch and by line.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// Lines without a cycle are left out.
[[nodiscard]] nlohmann::ordered_json states_json(const sm::States& states);

/// Nothing if the JSON does not contain states of `lines` lines.
[[nodiscard]] std::optional<sm::States> states_from_json(const nlohmann::ordered_json& json,
                                                         size_t lines);

}  // namespace warpledger::profile
