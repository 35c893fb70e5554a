// tensor_tile.h's sums for operands of 16 bits that stand in a warp's registers. Vectors of
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

}  // namespace warpledger::numeric
