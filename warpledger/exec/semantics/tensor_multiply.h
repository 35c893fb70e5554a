// tcgen05.mma of two matrices into tensor memory. What an engine does when the tensor core comes to
// it: operands are read then, and not when the product is asked for.
#pragma once

#include <array>

#include "warpledger/exec/semantics/matrix_descriptor.h"
#include "warpledger/exec/semantics/tensor_product.h"

namespace warpledger::exec {

/// What a block of the pair holds.
struct TensorPart {
  TensorMemory* tensor = nullptr;  // null: there is no such block
  std::span<const std::byte> shared = {};
};

struct TensorMultiply {
  TensorProduct plan;
  TensorAddress d = {}, a_in_tensor = {}, a_scale = {}, b_scale = {};
  bool a_is_shared = true;
  SharedOperand a = {}, b = {};  // of one block
  bool adds = true;
  int scale_d = 0;                        // D is multiplied by 2^-scale_d before
  std::vector<uint32_t> kept_lanes = {};  // of D, as bits: these are not written
  std::array<TensorPart, 2> parts = {};   // of the pair; the first alone without one
  /// SharedOperand::chunks() of a and b, where the caller has them.
  std::array<std::span<const uint32_t>, 2> chunks = {};

  /// An operand in shared memory, but for its descriptor.
  [[nodiscard]] SharedOperand shape_of(bool is_a) const;
  [[nodiscard]] uint32_t columns_of_a() const;  // in tensor memory
  /// What of it no engine computes yet; empty: nothing.
  [[nodiscard]] std::string refusal() const;
  /// Which cells of A, D or the scales are not there or not allocated; empty: none.
  [[nodiscard]] std::string missing_cells() const;
  /// Pre: refusal() and missing_cells() are empty, and the chunks of a and b lie in shared memory.
  void operator()() const;
};

}  // namespace warpledger::exec
