// D = A * B + D of any size with the tensor cores' sums: what wgmma and tcgen05.mma compute.
// Results equal numeric/tensor_core.h bit for bit; 16 x 8 of them are made at a time where
// tensor_tile.h takes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpledger/exec/numeric/tensor_core.h"
#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

/// Elements as they are encoded, tf32 in the upper 19 bits of 32. scale[row * (k / scale_every) +
/// i] multiplies k elements from i * scale_every on; empty: none.
struct DenseOperand {
  TypeInfo type;
  uint32_t rows = 0;               // m of A, n of B
  std::vector<uint32_t> elements;  // [row * k + i]
  bool negated = false;
  std::vector<double> scale = {};
  uint32_t scale_every = 32;
};

struct DenseProduct {
  uint32_t k = 0;
  numeric::TensorCore core;
  bool half_result = false;  // D is f16 instead of f32
  bool satfinite = false;    // integers

  /// d[row * n + column] is read and written: f32, f16 or s32 bits. Pre: a.rows * b.rows of them.
  void operator()(const DenseOperand& a, const DenseOperand& b, std::span<uint32_t> d) const;
};

}  // namespace warpledger::exec
