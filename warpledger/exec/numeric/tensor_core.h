// The arithmetic of the tensor cores: one element of D = A * B + C.
//
// What is publicly known, and modeled here:
// - products are exact; a block of them is summed with C in one fixed-point addition. Every addend
//   is aligned to the largest exponent of the block, where a product's exponent is the sum of its
//   factors' (1.5 * 1.5 counts as 2^0), and cut, not rounded, a fixed number of bits below it.
// - the sum is cut to f32, or rounded to nearest even where D is f16; too large a sum is infinite.
//   Blocks follow each other along k, each one's result the next one's C.
// - fp8: on sm_89 sums and results keep 13 fraction bits. mma.sync on sm_90 and sm_100 is what
//   ptxas makes of it: operands converted to f16, a block of the elements 0, 1 of every four and
//   one of the elements 2, 3, then C added with rounding to nearest. (wgmma of sm_90 is not: blocks
//   of 32, 13 bits.)
// - integers are exact modulo 2^32, or clamped with .satfinite; f64 is a chain of fused
//   multiply-adds (IEEE 754) in ascending k.
// Sources: Fasi, Higham, Mikaitis, Pranesh, PeerJ CS 7:e330 (2021); Xie, Wang, Yang, Yang, MMA-Sim,
// arXiv 2511.10909; Khattak, Mikaitis, arXiv 2512.07004, whose published results of V100, A100, A2,
// L40S, H100, H200 and B200 this gives bit by bit (docs/execution.md). Not modeled: that addends
// far below the smallest subnormal of D are lost. Subnormal operands are kept. Any NaN, or
// infinities of both signs, give NaN.
#pragma once

#include <span>

#include "warpledger/exec/numeric/number.h"

namespace warpledger::numeric {

/// How one generation sums the products of one format.
struct TensorCore {
  int block = 8;           // products per addition
  int fraction_bits = 24;  // kept below the largest exponent
  int result_bits = 23;    // fraction bits of an f32 result
  bool by_f16 = false;     // in two blocks, C added last: fp8 where mma.sync has to use f16
};

/// Of mma.sync and wmma on sm_<arch> (80 for sm_80) for operands of `format`.
[[nodiscard]] TensorCore tensor_core(int arch, Format format);

/// A value as the multipliers see it: (-1)^negative * significand * 2^(exponent - 31), where a
/// subnormal keeps the exponent of its code. At most 32 significant bits.
struct Factor {
  Number::Kind kind = Number::kZero;
  bool negative = false;
  int exponent = 0;
  uint32_t significand = 0;
};
[[nodiscard]] Factor unpack_factor(Format format, uint64_t bits);

/// c + sum of a[i] * b[i], c and the result in f32. Pre: a.size() == b.size().
[[nodiscard]] uint32_t dot_f32(const TensorCore& core, std::span<const Factor> a,
                               std::span<const Factor> b, uint32_t c);

/// The same with c and the result in f16.
[[nodiscard]] uint16_t dot_f16(const TensorCore& core, std::span<const Factor> a,
                               std::span<const Factor> b, uint16_t c);

}  // namespace warpledger::numeric
