// One side of a trip through shared memory: which bytes of the tile each instruction of a warp
// moves, with plain vectors or with the matrix instructions.
#pragma once

#include <optional>
#include <vector>

#include "warpledger/layout/linear_map.h"
#include "warpledger/layout/notation/swizzle.h"

namespace warpledger::convert {

struct Side {
  LinearMap address;      // (register, lane) -> offset; registers in units of granules or matrices
  int granule_bits = 32;  // what travels alone (granules.h)
  int words = 1;          // registers per instruction: 1, 2 or 4
  bool matrix = false;    // ldmatrix or stmatrix: `address` gives lanes the rows they name
  bool transposed = false;

  [[nodiscard]] int bytes() const { return matrix ? 16 : words * granule_bits / 8; }
};

/// (row, col) -> byte in a dense tile.
[[nodiscard]] LinearMap dense_tile(const Space& matrix, int element_bytes, bool by_rows);

/// Plain loads or stores, as wide as the tile allows.
[[nodiscard]] Side plain_side(const LinearMap& fragment, const LinearMap& tile, int element_bytes);
/// ldmatrix or stmatrix of halves, when eight neighbors lie in the lanes as those instructions
/// want.
[[nodiscard]] std::optional<Side> matrix_side(const LinearMap& fragment, const LinearMap& tile,
                                              bool transposed);

/// The first registers of the instructions of a side; registers that only repeat others are left
/// out when asked.
[[nodiscard]] std::vector<int> instructions_of(const Side& side, bool skip_replicas);
[[nodiscard]] int wavefronts_of(const Side& side, const Swizzle& swizzle);
/// The address of each lane in the first instruction.
[[nodiscard]] LinearMap lane_addresses(const LinearMap& address);

}  // namespace warpledger::convert
