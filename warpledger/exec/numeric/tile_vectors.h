// tensor_tile.h's sums for operands that stand in a warp's registers. Vectors of
// whatever width the host has (Highway), the same bits on all of them.
#pragma once

#include "warpledger/exec/numeric/tensor_tile.h"

namespace warpledger::numeric {

/// mma.m16n8k16 or k8 of 16-bit operands with f32 C and D, registers in, registers out ([reg][32
/// lanes], tile_product.h). False, and nothing written, when the tile does not take a value.
struct Fragments {
  const uint32_t* a;
  const uint32_t* b;
  const uint32_t* c;
  uint32_t* d;
};
[[nodiscard]] bool multiply_halves(const Fragments& fragments, int k, bool bf16,
                                   const TensorCore& core);

/// The same of mma.m16n8k8 or k4 of tf32.
[[nodiscard]] bool multiply_singles(const Fragments& fragments, int k, const TensorCore& core);

/// A and B of f16 into a tile, with their exponents. False, and the tile is of no use, where one is
/// special, or the host has no vectors. Pre: tile.k is 8 or 16.
[[nodiscard]] bool unpack_halves(TensorTile& tile, const uint32_t* a, const uint32_t* b);

}  // namespace warpledger::numeric
