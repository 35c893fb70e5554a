// Shared memory as the tensor cores read it: the swizzle modes, the 64-bit matrix descriptors, and
// the canonical K-major tile (PTX ISA 9.1, 9.7.15.5.1 for wgmma, 9.7.16.4.1 for tcgen05).
#pragma once

#include <array>
#include <string_view>

#include "warpledger/base/result.h"
#include "warpledger/layout/linear_map.h"
#include "warpledger/layout/notation/swizzle.h"

namespace warpledger {

enum class SharedMode { kNone, k32, k64, k128, k128Atom32 };

struct SharedModeFacts {
  SharedMode mode;
  std::string_view name;
  Swizzle swizzle;   // on byte addresses
  int repeat_bytes;  // also the alignment of a tile
  int row_bytes;     // of the K-major atom of 8 rows
  int wgmma_code;    // bits 62-63 of the descriptor; -1: not available
  int tcgen05_code;  // bits 61-63
};
[[nodiscard]] const std::array<SharedModeFacts, 5>& shared_modes();
[[nodiscard]] const SharedModeFacts& facts_of(SharedMode mode);
[[nodiscard]] std::optional<SharedMode> parse_shared_mode(std::string_view name);

enum class DescriptorKind { kWgmma, kTcgen05 };

/// Addresses and offsets are bytes, multiples of 16 below 2^18.
struct SharedDescriptor {
  uint32_t start = 0;
  uint32_t leading_offset = 0;  // LBO
  uint32_t stride_offset = 0;   // SBO
  int base_offset = 0;          // (pattern start >> 7) & 7
  SharedMode mode = SharedMode::kNone;
  friend bool operator==(const SharedDescriptor&, const SharedDescriptor&) = default;
};

/// decode(encode(d, kind), kind) == d for every valid d.
[[nodiscard]] Result<uint64_t> encode(const SharedDescriptor& descriptor, DescriptorKind kind);
[[nodiscard]] Result<SharedDescriptor> decode(uint64_t bits, DescriptorKind kind);

/// (row, col) -> byte of a K-major tile whose row is the atom's width: rows of 8 atoms apart by
/// SBO. Fails unless rows is a power of two >= 8, and cols * element_bits fills atoms exactly.
struct KMajorTile {
  SharedMode mode = SharedMode::k128;
  int rows = 8;
  int cols = 64;
  int element_bits = 16;
};
[[nodiscard]] Result<LinearMap> k_major_tile(const KMajorTile& tile);

}  // namespace warpledger
