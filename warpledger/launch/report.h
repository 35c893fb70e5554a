// What a launch did, as tables and sentences.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/launch/expression.h"

namespace warpledger::exec {

/// Instructions by kind, accesses by space.
[[nodiscard]] std::vector<Table> summarize(const Statistics& statistics);
/// "kernel 'k': 4 blocks, 32 warps, 1,234 warp instructions, 31.5 lanes active".
[[nodiscard]] std::string headline(const Launch& launch, const Statistics& statistics);
/// "y = 2*x: 1,000 elements agree" or where they do not.
[[nodiscard]] std::string to_text(const std::string& what, const Comparison& comparison);

}  // namespace warpledger::exec
