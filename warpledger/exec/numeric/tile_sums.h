// What tile_sums.cpp and tile_vectors.cpp share: the sums of tensor_tile.h in vectors of whatever
// width the host has (Highway), the same bits on all of them. For each instruction set there is
//   void sum_tile(const TensorTile&, const TensorCore&, const TileResults&);
// which is multiply() of a tile without its C. Pre: as there; d[i][j] is c[i][j] or elsewhere.
#pragma once

#include <cstdint>

#include "warpledger/exec/numeric/tensor_tile.h"

namespace warpledger::numeric {

/// Where C is and where D goes: 16 floats of a row group and parity each, as bytes, since some
/// stand in registers of 32 bits.
struct TileResults {
  const uint8_t* c[4][2];
  uint8_t* d[4][2];
};

}  // namespace warpledger::numeric
