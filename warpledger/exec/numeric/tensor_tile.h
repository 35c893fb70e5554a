// The same sums as tensor_core.h, for the 16 x 8 results of an mma.m16n8 at once.
//
// With every operand finite and no exponent near the ends, all of the model fits in 32-bit lanes:
// a product of two 11-bit significands is exact in f32; times 2^(fraction bits - largest exponent),
// a product's exponent being the sum of its factors', it is an integer of at most 27 bits, which
// the conversion to int32 cuts as the model does; eight of these and C add up without overflow; the
// sum is cut to 24 bits and scaled back. Exponents are bytes, added and compared for many results
// at a time. What does not fit is for tensor_core.h (tile_takes() says so).
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
  static constexpr int8_t kNoExponent = -128;  // of 0
  float a[4][kMostK / 4][16];                  // [g][k / 4][4 (row % 4) + k % 4]
  float b[2][4][kMostK / 4][4];                // [parity][k % 4][k / 4][column / 2]
  float c[4][2][16];                           // [g][parity][l]; in: C, out: D
  // An operand's exponent less the largest of its matrix.
  alignas(64) int8_t a_exponent[kMostK / 4][16][4];  // [k / 4][row][k % 4]
  alignas(64) int8_t b_exponent[2][kMostK][4];       // [parity][k][column / 2]
  int most_a = 0, most_b = 0;                        // the largest exponents, as in an f32
  int k = 16;
  // C of f16 (least_c_power says so): what becomes D's f16 is odd where bits were cut, so that
  // rounding it to nearest is as if nothing had been cut.
  // Subnormal operands have the exponent of their code: 2^-14 in f16, 0 where there are none.
  float least_power = 0;    // of A and B
  float least_c_power = 0;  // of C
};

inline constexpr float kTileLeast = 0x1p-100f, kTileMost = 0x1p120f;

/// Whether multiply() may take this C: +0, or 2^-100 <= |c| < 2^120.
[[nodiscard]] inline bool tile_takes(float c) {
  const float magnitude = std::abs(c);
  return (std::bit_cast<uint32_t>(c) == 0) | ((magnitude >= kTileLeast) & (magnitude < kTileMost));
}

/// Whether multiply() may take products of these: the smallest and largest |x| of A and B that are
/// not 0, all finite. (Products from 2^-100 to 2^120, within 126 binades; none subnormal in f32.)
struct Magnitudes {
  float least_a, most_a, least_b, most_b;
};
[[nodiscard]] bool tile_takes(const Magnitudes& magnitudes);

/// Fills a_exponent or b_exponent for the first k. `most`: no |x| of the matrix is larger.
void find_exponents_of_a(TensorTile& tile, float most);
void find_exponents_of_b(TensorTile& tile, float most);

/// c[row, col] = dot_f32(core, row of a, column of b, c[row, col]). Pre: tile_takes() all; every
/// product is exact in f32; core.fraction_bits <= 25; core.block is 4, 8 or 16 and divides k.
void multiply(TensorTile& tile, const TensorCore& core);

/// The same in plain loops, without the exponents; the law that both agree is in the tests.
void multiply_portable(TensorTile& tile, const TensorCore& core);

}  // namespace warpledger::numeric
