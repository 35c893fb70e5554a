// The arithmetic of the tensor cores: one element of D = A * B + C.
//
// What is publicly known, and modelled here:
// - products are exact, and a block of them is summed with C in one wide fixed-point addition:
// every
//   addend is aligned to the largest exponent of the block and cut (not rounded) at a fixed number
//   of bits below it; the sum is cut to f32. Blocks follow each other along k. (Fasi, Higham,
//   Mikaitis, Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ CS 7:e330, 2021: V100,
//   T4, A100; Khattak, Mikaitis, "Accurate models of NVIDIA tensor cores", arXiv 2512.07004: A100
//   .. B200.)
// - with an f16 accumulator the same sum is rounded to nearest even once at the end (PeerJ, above).
// - 8-bit floating point before sm_100 keeps 13 fraction bits in the sum (DeepSeek-V3 report, arXiv
//   2412.19437, section 3.5.2, says "around 14 bits"; Khattak, Mikaitis).
// - integers are exact modulo 2^32, or clamped with .satfinite; f64 is a chain of fused
//   multiply-adds (IEEE 754; the order along k is not published: assumed ascending).
// Subnormal operands are kept. Special values: any NaN, or infinities of both signs, give NaN.
#pragma once

#include <span>

#include "warpledger/exec/numeric/number.h"

namespace warpledger::numeric {

/// How one generation sums the products of one format.
struct TensorCore {
  int block = 8;           // products per addition
  int fraction_bits = 24;  // kept below the largest exponent
};

/// Of the architecture sm_<arch> (80 for sm_80) for operands of `format`.
[[nodiscard]] TensorCore tensor_core(int arch, Format format);

/// c + sum of a[i] * b[i]; a and b in `a_format`, `b_format`, c and the result in f32.
/// Pre: a.size() == b.size().
[[nodiscard]] uint32_t dot_f32(const TensorCore& core, std::span<const Number> a,
                               std::span<const Number> b, uint32_t c);

/// The same with c and the result in f16.
[[nodiscard]] uint16_t dot_f16(const TensorCore& core, std::span<const Number> a,
                               std::span<const Number> b, uint16_t c);

}  // namespace warpledger::numeric
