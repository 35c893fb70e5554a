// The numbers behind a program's formulas at given sizes, for what runs it. Private to tile/.
#pragma once

#include <vector>

#include "warpledger/tile/program.h"

namespace warpledger::tile {

/// Fails unless it is a whole number and not negative.
[[nodiscard]] Result<int64_t> whole(const Expression& size, const Sizes& sizes);

/// Fails, too, when it has more elements than an interpreter should touch.
[[nodiscard]] Result<std::vector<int64_t>> shape_of(const Tensor& tensor, const Sizes& sizes);

/// Of a shape from shape_of().
[[nodiscard]] int64_t elements_of(const std::vector<int64_t>& shape);

}  // namespace warpledger::tile
