// AVX-512 for tensor_tile.h: the tile's sums, and fragments of 16-bit operands taken apart. Only
// with has_tile_vectors().
#pragma once

#include "warpledger/exec/numeric/tensor_tile.h"

namespace warpledger::numeric {

inline constexpr float kTileLeast = 0x1p-100f, kTileMost = 0x1p120f;

[[nodiscard]] bool has_tile_vectors();

void multiply_vectors(TensorTile& tile, const TensorCore& core);

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
