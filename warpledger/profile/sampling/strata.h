// Which blocks stand for a grid. Control flow that depends on blockIdx makes blocks of different
// length: edges do less, a triangular kernel's rows do more and more. So the grid is cut along each
// axis into its first index, its last one and cells between, and each product of cells is counted
// by two blocks that lie point-symmetric in it: what depends on blockIdx linearly comes out
// exactly, and places drawn by a hash keep periods from hiding.
#pragma once

#include <vector>

#include "warpledger/exec/decode/launch.h"

namespace warpledger::profile {

/// A block and how many it stands for. `half`: which of the pair; 2: a cell with one block.
struct Delegate {
  uint64_t cta = 0;
  double weight = 0;
  uint32_t half = 0;
  friend bool operator==(const Delegate&, const Delegate&) = default;
};

/// Contract: the weights add up to the grid; about `most` blocks at most (27 cells are the least of
/// a large grid); every block of a grid of `most` / 2 or fewer.
[[nodiscard]] std::vector<Delegate> choose_delegates(const exec::Extent& grid, uint32_t most);

}  // namespace warpledger::profile
