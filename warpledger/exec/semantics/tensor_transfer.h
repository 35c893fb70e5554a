// Between tensor memory and elsewhere: a warp's registers (tcgen05.ld, .st), shared memory
// (tcgen05.cp).
#pragma once

#include "warpledger/exec/semantics/matrix_descriptor.h"
#include "warpledger/exec/semantics/tensor_memory.h"
#include "warpledger/ptx/modifier.h"

namespace warpledger::exec {

inline constexpr uint32_t kWarpTensorLanes = 32;  // of tensor memory that a warp reaches

/// A cell of a warp's window: from its first lane, and from the address's column.
struct WindowCell {
  uint32_t row = 0, column = 0;
};

/// A tcgen05.ld or .st of one warp.
struct TensorTransfer {
  TensorAddress at = {};
  ptx::Modifier shape = ptx::Modifier::k32x32b;
  uint32_t split = 0;      // of .16x32bx2: columns between the halves
  uint32_t registers = 0;  // of a lane
  bool packed = false;     // two adjacent columns' low halves in a register

  /// Whether a lane of the warp is a row, and a register a column.
  [[nodiscard]] bool is_plain() const { return shape == ptx::Modifier::k32x32b && !packed; }
  /// Rows and columns that it spans.
  [[nodiscard]] WindowCell extent() const;
  /// Why the warp of that number in its block cannot do it; empty: it can.
  [[nodiscard]] std::string lane_fault(uint32_t warp) const;
  [[nodiscard]] std::string column_fault(const TensorMemory& tensor) const;
  /// Where register `r` of `lane` lies.
  [[nodiscard]] TensorAddress cell(uint32_t lane, uint32_t r) const;
  [[nodiscard]] uint32_t load(TensorMemory& tensor, uint32_t lane, uint32_t r) const;
  void store(TensorMemory& tensor, uint32_t lane, uint32_t r, uint32_t word) const;
};

/// A tcgen05.cp: rows of shared memory into lanes, 128 of them, or 32 into each warp's.
struct TensorCopy {
  SharedOperand from;
  TensorAddress to = {};
  uint32_t repeats = 1;

  /// Of that shape; `from` lacks its descriptor. Nothing: it is not executed yet.
  [[nodiscard]] static std::optional<TensorCopy> of(ptx::Modifier shape);
  [[nodiscard]] uint32_t columns() const { return from.k / 4; }
  void operator()(std::span<const std::byte> shared, TensorMemory& tensor) const;
};

}  // namespace warpledger::exec
