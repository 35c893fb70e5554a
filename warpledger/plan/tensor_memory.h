// Tensor memory (TMEM): 128 lanes x 512 columns of 32-bit cells for each SM, and the rules by which
// tcgen05.alloc gives out columns (PTX ISA 9.1, 9.7.16).
#pragma once

#include "warpledger/base/result.h"
#include "warpledger/plan/plan.h"

namespace warpledger::plan {

inline constexpr int64_t kTensorColumns = 512;
inline constexpr int64_t kTensorLanes = 128;
inline constexpr int64_t kCellBytes = 4;
inline constexpr int64_t kColumnBytes = kTensorLanes * kCellBytes;
inline constexpr int64_t kSmallestAllocation = 32;

/// Columns that one CTA needs for `buffer` by its shape, type and data path layout:
///   A, D: n    B, E: n/2 (two halves of the columns in two halves of the lanes)
///   C, F: n, in half of the lanes    G: n/4
/// times bits/32 unless it is an accumulator. `cta_group` is 1 or 2.
[[nodiscard]] Result<int64_t> columns_of(const Buffer& buffer, int cta_group);

/// The smallest allocation that holds `columns`: a power of two, at least 32. 0 needs none.
[[nodiscard]] int64_t allocation_for(int64_t columns);

/// Why the sequence of tcgen05.alloc sizes is not allowed: not a power of two in 32..512, growing,
/// or more than 512 together.
[[nodiscard]] Status check_allocations(const std::vector<int64_t>& columns);

}  // namespace warpledger::plan
