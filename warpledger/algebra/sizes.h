// Sizes as a person gives them on the command line: "N=8192,d=128".
#pragma once

#include "warpledger/algebra/expression.h"

namespace warpledger {

/// Pairs NAME=INTEGER with commas between; each value at least 1, no name twice.
[[nodiscard]] Result<Sizes> parse_sizes(const Source& source);

}  // namespace warpledger
