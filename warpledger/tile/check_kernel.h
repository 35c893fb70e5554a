// The checks of one kernel, statement by statement. Private to tile/: use check.h.
#pragma once

#include <string>
#include <vector>

#include "warpledger/tile/check.h"

namespace warpledger::tile {

[[nodiscard]] Result<TileTypes> check_kernel(const Program& program, const Kernel& kernel);

/// Every name in `size` is a size of the program or one of `indices`.
[[nodiscard]] Status check_size_names(const Program& program, const Expression& size,
                                      const std::vector<std::string>& indices, Span span);

/// `count` is a whole number for all sizes that the program's assumptions allow.
[[nodiscard]] Status check_whole(const Program& program, const Expression& count, Span span);

}  // namespace warpledger::tile
