// tcgen05.mma: what its instruction descriptor says, and where A, D and the scales lie in tensor
// memory. tensor_multiply.h computes it.
#pragma once

#include <string>

#include "warpledger/base/result.h"
#include "warpledger/exec/semantics/tensor_memory.h"
#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

/// tcgen05.mma's 32-bit instruction descriptor and .kind (PTX ISA 9.1, tables 42 to 44).
struct TensorProduct {
  uint32_t m = 0, n = 0, k = 0;
  int cta_group = 1;
  bool weight_stationary = false;  // .ws
  ptx::Type a = ptx::Type::kF16, b = ptx::Type::kF16;
  ptx::Modifier kind = ptx::Modifier::kNone;
  bool half_result = false, satfinite = false;
  bool negates_a = false, negates_b = false;
  bool a_mn_major = false, b_mn_major = false;
  uint32_t a_scale_id = 0, b_scale_id = 0;
  uint32_t scale_every = 0;  // elements of k that share a scale; 0: none
  bool scales_e4m3 = false;  // ue4m3 instead of ue8m0

  /// Rows of A, and of B, that one CTA holds.
  [[nodiscard]] uint32_t a_rows() const { return m / static_cast<uint32_t>(cta_group); }
  [[nodiscard]] uint32_t b_rows() const { return n / static_cast<uint32_t>(cta_group); }
  /// Elements of 16 bytes of shared memory: sub-byte types of f8f6f4 are padded to bytes.
  [[nodiscard]] int per_chunk() const;
  [[nodiscard]] uint32_t columns() const;  // that D takes in a CTA's tensor memory
};

/// What a spelling says of a product, beside its descriptor.
struct TensorSpelling {
  ptx::Modifier kind = ptx::Modifier::kNone;
  int cta_group = 1;
  bool weight_stationary = false;
  uint32_t scale_every = 0;  // of a kind with block scales
};

/// Elements of k that share a scale; 0: a kind without block scales.
[[nodiscard]] uint32_t scale_every_of(const ptx::Spelling& spelling);

/// The product, or why it is not computed.
[[nodiscard]] Result<TensorProduct> plan_tensor_product(const TensorSpelling& spelling,
                                                        uint32_t descriptor);

/// Where element (row, column) of D lies: in which CTA of the pair, lane and column from D's
/// address.
struct TensorCell {
  uint32_t cta = 0, lane = 0, column = 0;
};
[[nodiscard]] TensorCell place_of(const TensorProduct& plan, uint32_t row, uint32_t column);
/// Columns of a row that lie side by side, from each multiple of this number on.
[[nodiscard]] uint32_t stretch_of(const TensorProduct& plan);

/// A in tensor memory: the lane of a row that the CTA holds, from A's address. 16 rows from each
/// multiple of 16 on lie side by side, as they do in D.
[[nodiscard]] uint32_t lane_of_a(const TensorProduct& plan, uint32_t row);
/// A in tensor memory: element bits [row * k + i] of the rows that the CTA holds.
[[nodiscard]] std::vector<uint32_t> read_tensor_a(const TensorProduct& plan, TensorMemory& tensor,
                                                  TensorAddress at);
/// Scales of `rows` rows from tensor memory: row r in lane r % 32, column r / 32, bytes from `id`.
[[nodiscard]] std::vector<double> read_scales(const TensorProduct& plan, TensorMemory& tensor,
                                              TensorAddress at, uint32_t rows, uint32_t id);

}  // namespace warpledger::exec
