// Briefs as JSON, as docs/schema/explain.json describes it; numbers are raw, shares from 0 to 1.
#pragma once

#include "warpledger/profile/explain/brief.h"

namespace warpledger::profile {

/// Ends with a newline.
[[nodiscard]] std::string to_json(const Briefs& briefs);

}  // namespace warpledger::profile
