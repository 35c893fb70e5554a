// An operand of wgmma or tcgen05 in shared memory: which bytes a 64-bit descriptor names.
//
// Memory is read in chunks of 16 bytes, T elements each. With r = row % 8, i = row / 8 (PTX
// ISA 9.1, 9.7.15.5.1 and 9.7.16.3.3, canonical layouts):
//   K-major, none      chunk (row, c) at r * 16 + i * SBO + c * LBO
//   K-major, swizzled  chunk (row, c) at r * W + i * SBO + c * 16             W: the swizzle's
//   width MN-major, none     chunk (c, k)   at c * SBO + k % 8 * 16 + k / 8 * LBO MN-major,
//   swizzled chunk (c, k)   at c % (W/16) * 16 + c / (W/16) * LBO + k % 8 * W + k / 8 * SBO
// from the start address on, all bits of the sum then swizzled. c counts chunks along the
// contiguous dimension.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "warpledger/layout/catalog/shared_tile.h"

namespace warpledger::exec {

struct SharedOperand {
  SharedDescriptor descriptor;
  bool mn_major = false;
  uint32_t rows = 0, k = 0;
  int element_bits = 16;
  int per_chunk = 8;  // elements of 16 bytes: fewer than fit where there is padding

  [[nodiscard]] uint32_t chunks_along() const {
    return ((mn_major ? rows : k) + static_cast<uint32_t>(per_chunk) - 1) /
           static_cast<uint32_t>(per_chunk);
  }
  /// Offsets of the chunks: [row * chunks_along() + c], or [k * chunks_along() + c] if MN-major.
  [[nodiscard]] std::vector<uint32_t> chunks() const;
  /// The chunks of the rows from `first` on in the order in which they are read: a core matrix (8
  /// rows, or 8 k) after the other.
  [[nodiscard]] std::vector<uint32_t> in_order(std::span<const uint32_t> chunks,
                                               uint32_t first) const;
  /// Element bits [row * k + i] from memory. Pre: every chunk lies in `shared`.
  [[nodiscard]] std::vector<uint32_t> read(std::span<const std::byte> shared,
                                           std::span<const uint32_t> chunks) const;
};

/// What is wrong with an operand before it is read: it lies outside, or was written by a tile copy
/// with another swizzle (`modes`: see SharedUse::mode). Empty: nothing.
[[nodiscard]] std::string find_fault(const SharedOperand& operand, std::span<const uint32_t> chunks,
                                     size_t shared_bytes, std::span<const uint8_t> modes);

}  // namespace warpledger::exec
