// What mma and wmma compute: the registers of a warp in, the registers of a warp out. Which lane
// holds which element is layout/'s knowledge, how products are summed numeric/'s.
#pragma once

#include <bit>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/exec/numeric/tensor_core.h"
#include "warpledger/exec/semantics/warp.h"

namespace warpledger::exec {

/// One operand's place in the registers of a warp.
struct OperandMap {
  int rows = 0, cols = 0;
  int products = 1;  // mma.m8n8k4.f16 is four products side by side
  int elements = 0;  // of one thread
  int element_bits = 0;
  TypeInfo type = {};
  std::vector<uint32_t> place;  // [lane * elements + i] -> (product * rows + row) * cols + col

  [[nodiscard]] int per_register() const { return element_bits >= 32 ? 1 : 32 / element_bits; }
  [[nodiscard]] int registers() const { return std::max(1, elements / per_register()); }
  [[nodiscard]] int size() const { return products * rows * cols; }
};

/// registers[r][lane]; an f64 takes one.
using MatrixRegisters = std::vector<PerLane<uint64_t>>;

/// The matrix in a warp's registers: element bits by place.
[[nodiscard]] std::vector<uint64_t> gather_matrix(const OperandMap& map,
                                                  const MatrixRegisters& registers);
[[nodiscard]] MatrixRegisters scatter_matrix(const OperandMap& map,
                                             const std::vector<uint64_t>& matrix);

/// Everything about one spelling of mma.sync or wmma.mma.
struct MatrixProduct {
  int m = 0, n = 0, k = 0;
  OperandMap a, b, c, d;
  numeric::TensorCore core;
  numeric::Rounding rounding = numeric::Rounding::kNearestEven;  // of f64
  bool satfinite = false;
  bool is_and = false;  // b1: and.popc instead of xor.popc

  [[nodiscard]] MatrixRegisters operator()(const MatrixRegisters& a_registers,
                                           const MatrixRegisters& b_registers,
                                           const MatrixRegisters& c_registers) const;
};

/// Fails, naming the form, when the catalog does not have it or it is not computed.
[[nodiscard]] Result<MatrixProduct> plan_product(const ptx::Spelling& spelling, int arch);

/// The fragment of wmma.load or wmma.store. `column_major` is the memory order.
struct MatrixTransfer {
  OperandMap map;
  bool column_major = false;
  int leading = 0;  // the stride when the instruction gives none, in elements

  /// Where an element lies in memory, in bits from the first: lines are `stride` elements apart.
  [[nodiscard]] uint64_t bit_of(uint32_t element, uint64_t stride) const {
    // A division would take most of the time.
    const auto cols = static_cast<uint32_t>(map.cols);
    const uint64_t row = element >> std::countr_zero(cols), col = element & (cols - 1);
    const uint64_t index = column_major ? col * stride + row : row * stride + col;
    return index * static_cast<uint64_t>(map.element_bits);
  }
};
[[nodiscard]] Result<MatrixTransfer> plan_transfer(const ptx::Spelling& spelling, int arch);

}  // namespace warpledger::exec
