// Reads a .plan text (docs/planner.md has the language by example).
#pragma once

#include "warpledger/base/result.h"
#include "warpledger/plan/plan.h"

namespace warpledger::plan {

/// Values that replace those of `let`: {"stages", 4}.
using Sizes = std::map<std::string, int64_t>;

/// Every fault of the text is in the diagnostic. A size in `replaced` that no `let` names is one.
[[nodiscard]] Result<Plan> parse(const Source& source, const Sizes& replaced = {});

}  // namespace warpledger::plan
