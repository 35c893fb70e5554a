// Tensor memory of a block: 128 lanes x 512 columns of 32 bits, given out by columns (PTX ISA 9.1,
// 9.7.16.1). Both engines keep one for each block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpledger/base/check.h"

namespace warpledger::exec {

inline constexpr uint32_t kTensorLanes = 128, kTensorColumns = 512, kColumnUnit = 32;

/// An address: lane << 16 | column.
struct TensorAddress {
  uint32_t lane = 0, column = 0;
  static TensorAddress of(uint64_t bits) {
    return {static_cast<uint32_t>(bits >> 16 & 0xffff), static_cast<uint32_t>(bits & 0xffff)};
  }
};

class TensorMemory {
 public:
  /// The first column, or nothing while there is no room. Pre: check_alloc() had no objection.
  [[nodiscard]] std::optional<uint32_t> allocate(uint32_t columns);
  /// Why an allocation of that size is against the rules; empty when it is not.
  [[nodiscard]] std::string check_alloc(uint32_t columns) const;
  /// Why it cannot be freed; empty when it was.
  [[nodiscard]] std::string free(uint32_t column, uint32_t columns);
  void relinquish() { relinquished_ = true; }
  [[nodiscard]] uint32_t taken() const;
  [[nodiscard]] bool is_allocated(uint32_t column, uint32_t columns) const;
  /// Whether so many lanes and columns from `at` on are there, and their columns allocated.
  [[nodiscard]] bool holds(TensorAddress at, uint32_t lanes, uint32_t columns) const {
    return lanes <= kTensorLanes && at.lane <= kTensorLanes - lanes &&
           is_allocated(at.column, columns);
  }

  [[nodiscard]] uint32_t& cell(uint32_t lane, uint32_t column) { return lanes(lane, column, 1)[0]; }
  /// Side by side in one column; the next column's are kTensorLanes further.
  [[nodiscard]] std::span<uint32_t> lanes(uint32_t lane, uint32_t column, uint32_t count) {
    WL_CHECK(column < kTensorColumns && count <= kTensorLanes && lane <= kTensorLanes - count);
    if (cells_.empty()) cells_.resize(size_t{kTensorLanes} * kTensorColumns);
    return std::span(cells_).subspan(size_t{column} * kTensorLanes + lane, count);
  }

 private:
  struct Allocation {
    uint32_t column = 0, columns = 0;
  };
  std::vector<Allocation> allocations_;
  uint32_t smallest_ = kTensorColumns;  // what was asked for last: sizes do not grow
  bool relinquished_ = false;
  std::vector<uint32_t> cells_;  // [column][lane]: registers of a warp are lanes of a column
};

}  // namespace warpledger::exec
