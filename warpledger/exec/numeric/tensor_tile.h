// The same sums as tensor_core.h, for the 16 x 8 results of an mma.m16n8 at once.
//
// With every operand finite and no exponent near the ends, all of the model fits in 32-bit lanes:
// a product of two 11-bit significands is exact in f32; times 2^(fraction bits - largest exponent),
// a product's exponent being the sum of its factors', it is an integer of at most 27 bits, which
// the conversion to int32 cuts as the model does; eight of these and C add up without overflow; the
// sum is cut to 24 bits and scaled back. What does not fit is for tensor_core.h (tile_takes() says
// so).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "warpledger/exec/numeric/tensor_core.h"

namespace warpledger::numeric {

/// Operands as f32. Lane l of row group g is row 4g + l / 4 and column 2 (l % 4) + parity: the
/// order of the fragments' registers.
struct alignas(64) TensorTile {
  static constexpr int kMostK = 16;
  float a[4][kMostK / 4][16];  // [g][k / 4][4 (l / 4) + k % 4]
  float b[kMostK][2][4];       // [k][parity][l % 4]
  float c[4][2][16];           // [g][parity][l]; in: C, out: D
  int k = 16;
  // Subnormal operands have the exponent of their code: 2^-14 in f16, 0 where there are none.
  float least_power = 0;    // of A and B
  float least_c_power = 0;  // of C
};

/// Whether multiply() may take this C: +0, or 2^-100 <= |c| < 2^120.
[[nodiscard]] inline bool tile_takes(float c) {
  const float magnitude = std::abs(c);
  return (std::bit_cast<uint32_t>(c) == 0) | ((magnitude >= 0x1p-100f) & (magnitude < 0x1p120f));
}

/// Whether multiply() may take products of these: the smallest and largest |x| of A and B that are
/// not 0, all finite. (Products from 2^-100 to 2^120.)
struct Magnitudes {
  float least_a, most_a, least_b, most_b;
};
[[nodiscard]] bool tile_takes(const Magnitudes& magnitudes);

/// c[row, col] = dot_f32(core, row of a, column of b, c[row, col]). Pre: tile_takes() all; every
/// product is exact in f32; core.fraction_bits <= 25, core.block <= 16.
void multiply(TensorTile& tile, const TensorCore& core);

/// The same without vectors of the host's own; the law that both agree is in the tests.
void multiply_portable(TensorTile& tile, const TensorCore& core);

}  // namespace warpledger::numeric
