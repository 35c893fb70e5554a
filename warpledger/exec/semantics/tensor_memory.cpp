#include "warpledger/exec/semantics/tensor_memory.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger::exec {

std::string TensorMemory::check_alloc(uint32_t columns) const {
  if (relinquished_) return "tcgen05.alloc after tcgen05.relinquish_alloc_permit";
  const bool power = columns != 0 && (columns & (columns - 1)) == 0;
  if (!power || columns < kColumnUnit || columns > kTensorColumns) {
    return fmt::format("{} columns of tensor memory: a power of two from 32 to 512 is allowed",
                       columns);
  }
  if (columns > smallest_) {
    return fmt::format(
        "an allocation of {} columns of tensor memory after one of {}: the sizes of "
        "a block's allocations must not grow",
        columns, smallest_);
  }
  return {};
}

// Allocations are powers of two and lie at multiples of their size.
std::optional<uint32_t> TensorMemory::allocate(uint32_t columns) {
  for (uint32_t first = 0; first + columns <= kTensorColumns; first += columns) {
    const bool free =
        std::none_of(allocations_.begin(), allocations_.end(), [&](const Allocation& other) {
          return first < other.column + other.columns && other.column < first + columns;
        });
    if (!free) continue;
    allocations_.push_back({first, columns});
    smallest_ = columns;
    return first;
  }
  return {};
}

std::string TensorMemory::free(uint32_t column, uint32_t columns) {
  const auto found = std::find_if(
      allocations_.begin(), allocations_.end(),
      [&](const Allocation& one) { return one.column == column && one.columns == columns; });
  if (found == allocations_.end()) {
    return fmt::format("no allocation of {} columns begins at column {} of tensor memory", columns,
                       column);
  }
  allocations_.erase(found);
  return {};
}

uint32_t TensorMemory::taken() const {
  uint32_t sum = 0;
  for (const Allocation& one : allocations_) sum += one.columns;
  return sum;
}

bool TensorMemory::is_allocated(uint32_t column, uint32_t columns) const {
  uint32_t covered = 0;
  for (const Allocation& one : allocations_) {
    const uint32_t first = std::max(column, one.column);
    const uint32_t end = std::min(column + columns, one.column + one.columns);
    covered += end > first ? end - first : 0;
  }
  return covered == columns;
}

}  // namespace warpledger::exec
