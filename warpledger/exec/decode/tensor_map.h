// A tensor map: what cuTensorMapEncodeTiled makes of a tensor in global memory, and what
// cp.async.bulk.tensor copies boxes of. NVIDIA's 128 bytes are opaque; these are our own, and only
// our own are understood: whoever encodes and whoever copies both call this file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/layout/catalog/shared_tile.h"

namespace warpledger::exec {

inline constexpr size_t kMostDimensions = 5;
inline constexpr size_t kTensorMapBytes = 128;
using TensorMapBytes = std::array<std::byte, kTensorMapBytes>;

/// The numbers of CUtensorMapDataType.
enum class TensorElement : uint8_t {
  kU8,
  kU16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kF32Ftz,
  kTf32,
  kTf32Ftz,
  k4Bit,        // two a byte
  k4BitPadded,  // 16 elements of 8 bytes, in shared memory with 8 bytes of padding
  k6BitPadded,  // 16 elements of 12 bytes, in shared memory with 4 bytes of padding
};
inline constexpr auto kLastTensorElement = TensorElement::k6BitPadded;

/// The fewest elements of whole bytes, and what they take in global and in shared memory.
struct Packing {
  uint32_t elements = 1, global_bytes = 1, shared_bytes = 1;
  [[nodiscard]] bool is_padded() const { return global_bytes != shared_bytes; }
};
[[nodiscard]] Packing packing_of(TensorElement element);

struct TensorMap {
  TensorElement element = TensorElement::kF16;
  uint32_t rank = 1;
  uint64_t address = 0;
  std::array<uint64_t, kMostDimensions> size = {};        // elements, innermost first
  std::array<uint64_t, kMostDimensions - 1> stride = {};  // bytes, of dimensions 1 ..
  std::array<uint32_t, kMostDimensions> box = {};         // elements that a box spans
  std::array<uint32_t, kMostDimensions> element_stride = {1, 1, 1, 1, 1};
  SharedMode swizzle = SharedMode::kNone;
  bool fills_nan = false;  // outside the tensor: NaN instead of 0

  /// Elements that a copy moves along a dimension: every element_stride-th of the box.
  [[nodiscard]] uint32_t count(size_t dimension) const {
    return (box[dimension] + element_stride[dimension] - 1) / element_stride[dimension];
  }
  [[nodiscard]] uint32_t box_bytes() const;  // in shared memory, padding included
  /// Where the box's last row begins in shared memory, from its first on.
  [[nodiscard]] uint64_t last_row() const;
  /// What an mbarrier is told of a box: without padding, as Triton and CUTLASS announce it.
  [[nodiscard]] uint32_t moved_bytes() const;
  friend bool operator==(const TensorMap&, const TensorMap&) = default;
};

/// Fails, naming the rule, where the driver would (CUDA driver API, cuTensorMapEncodeTiled).
[[nodiscard]] Status check(const TensorMap& map);
/// decode(encode(m)) == m for every m that check() passes.
[[nodiscard]] Result<TensorMapBytes> encode(const TensorMap& map);
/// Without check(): a map that tensormap.replace is still changing may break its rules.
[[nodiscard]] TensorMapBytes encode_unchecked(const TensorMap& map);
/// Fails when the bytes are no map of ours.
[[nodiscard]] Result<TensorMap> decode_tensor_map(std::span<const std::byte> bytes);

/// Part of a box that is contiguous in global and in shared memory.
struct BoxPiece {
  uint64_t global = 0;  // address; of a piece outside the tensor: none
  uint32_t shared = 0;  // offset, swizzled
  uint32_t bytes = 0;
  bool inside = true;
};
/// A row of the box as far as it lies inside: one run of global memory.
struct BoxRun {
  uint64_t global = 0;
  uint32_t bytes = 0;
};
struct Box {
  std::vector<BoxPiece> pieces;
  std::vector<BoxRun> runs;
};

/// The box at `corner` (element coordinates, may be outside), laid out from `shared` on.
///   element (i0, i1, ..) lies at sw(shared + i0 * bytes + pitch * (i1 + n1 * (i2 + ..))),
/// pitch being the row's bytes, or the swizzle's width; sw is the swizzle of byte addresses.
/// Pre: its last row begins in a block's shared memory: boxes of 2^40 bytes pass check().
[[nodiscard]] Box box_of(const TensorMap& map, std::span<const int32_t> corner, uint32_t shared);

}  // namespace warpledger::exec
