// Questions about statements that several rooms ask: which tiles they read and write.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpledger/tile/program.h"

namespace warpledger::tile {

/// The names a formula mentions: tiles, scalars and sizes, in order, repeated as they occur.
[[nodiscard]] std::vector<std::string> names_in(const Formula& formula);

/// The tiles that a statement reads (a loop: none of its own). May hold names of scalars, sizes and
/// tensors; an accumulating statement reads its result.
[[nodiscard]] std::vector<std::string> tiles_read(const Statement& statement);

/// The tile that a statement defines or updates.
[[nodiscard]] std::optional<std::string> tile_written(const Statement& statement);

/// The slice of a tensor that a statement reads or writes.
[[nodiscard]] const Place* global_read(const Program& program, const Statement& statement);
[[nodiscard]] const Place* global_written(const Statement& statement);

}  // namespace warpledger::tile
