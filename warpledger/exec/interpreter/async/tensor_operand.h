// Operands of tcgen05.mma: what its instruction descriptor says, where A, B, D and the scales lie.
#pragma once

#include <string>

#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/semantics/dense_product.h"
#include "warpledger/exec/semantics/matrix_descriptor.h"

namespace warpledger::exec::reference {

/// [taddr] of an operand.
[[nodiscard]] TensorAddress tensor_address(const Context& context, const Value& value, int lane);
/// False after a fault: another .cta_group than before.
bool keeps_group(const Context& context, const Step& step);
/// False after a fault: work in flight writes some of these columns.
bool is_quiet(const Context& context, const Step& step, uint32_t column, uint32_t columns);

/// The operand's descriptor, checked against every CTA that holds a part (null: none), and the
/// chunks that it reads, numbered as SharedUse has them; false after a fault. `site`: which of the
/// step's the reads are recorded at.
bool read_tensor_descriptor(const Context& context, const Step& step, int lane, uint64_t bits,
                            SharedOperand& operand, std::span<Cta* const> ctas, uint32_t site,
                            std::vector<uint32_t>& chunks);

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

/// The product, or why it is not computed.
[[nodiscard]] Result<TensorProduct> plan_tensor_product(const ptx::Spelling& spelling,
                                                        uint32_t descriptor);

/// Where element (row, column) of D lies: in which CTA of the pair, lane and column from D's
/// address.
struct TensorCell {
  uint32_t cta = 0, lane = 0, column = 0;
};
[[nodiscard]] TensorCell place_of(const TensorProduct& plan, uint32_t row, uint32_t column);
/// Columns of a row that lie side by side, from each multiple of this number on.
[[nodiscard]] uint32_t stretch_of(const TensorProduct& plan);

/// A in tensor memory: element bits [row * k + i] of the rows that the CTA holds.
[[nodiscard]] std::vector<uint32_t> read_tensor_a(const TensorProduct& plan, TensorMemory& tensor,
                                                  TensorAddress at);
/// Scales of `rows` rows from tensor memory: row r in lane r % 32, column r / 32, bytes from `id`.
[[nodiscard]] std::vector<double> read_scales(const TensorProduct& plan, TensorMemory& tensor,
                                              TensorAddress at, uint32_t rows, uint32_t id);

}  // namespace warpledger::exec::reference
