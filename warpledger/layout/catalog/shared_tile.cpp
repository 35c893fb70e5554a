#include "warpledger/layout/catalog/shared_tile.h"

#include <fmt/core.h>

#include <bit>

namespace warpledger {

const std::array<SharedModeFacts, 5>& shared_modes() {
  static const std::array<SharedModeFacts, 5> modes = {{
      {SharedMode::kNone, "none", {0, 4, 3}, 128, 16, 0, 0},
      {SharedMode::k32, "32B", {1, 4, 3}, 256, 32, 3, 6},
      {SharedMode::k64, "64B", {2, 4, 3}, 512, 64, 2, 4},
      {SharedMode::k128, "128B", {3, 4, 3}, 1024, 128, 1, 2},
      {SharedMode::k128Atom32, "128B_ATOM_32B", {2, 5, 2}, 512, 128, -1, 1},
  }};
  return modes;
}

const SharedModeFacts& facts_of(SharedMode mode) {
  return shared_modes()[static_cast<size_t>(mode)];
}

std::optional<SharedMode> parse_shared_mode(std::string_view name) {
  for (const SharedModeFacts& facts : shared_modes()) {
    if (facts.name == name) return facts.mode;
  }
  return std::nullopt;
}

namespace {

constexpr uint64_t kFieldMask = 0x3fff;  // 14 bits of 16-byte units

Status check_field(std::string_view name, uint32_t bytes) {
  if (bytes % 16 == 0 && bytes < 1U << 18) return {};
  return Diagnostic{.message = fmt::format(
                        "the {} of {} bytes is not a multiple of 16 below 262,144", name, bytes),
                    .code = "bad-descriptor"};
}

}  // namespace

Result<uint64_t> encode(const SharedDescriptor& d, DescriptorKind kind) {
  WL_TRY_STATUS(check_field("start address", d.start));
  WL_TRY_STATUS(check_field("leading byte offset", d.leading_offset));
  WL_TRY_STATUS(check_field("stride byte offset", d.stride_offset));
  if (d.base_offset < 0 || d.base_offset > 7) {
    return Diagnostic{.message = "the base offset is not in 0..7", .code = "bad-descriptor"};
  }
  const SharedModeFacts& mode = facts_of(d.mode);
  const bool wgmma = kind == DescriptorKind::kWgmma;
  if (wgmma && mode.wgmma_code < 0) {
    return Diagnostic{.message = fmt::format("wgmma has no swizzle mode '{}'", mode.name),
                      .code = "bad-descriptor"};
  }
  uint64_t bits = d.start >> 4 | static_cast<uint64_t>(d.leading_offset >> 4) << 16 |
                  static_cast<uint64_t>(d.stride_offset >> 4) << 32 |
                  static_cast<uint64_t>(d.base_offset) << 49;
  if (wgmma) return bits | static_cast<uint64_t>(mode.wgmma_code) << 62;
  bits |= uint64_t{1} << 46;  // the fixed field 0b001 of tcgen05
  return bits | static_cast<uint64_t>(mode.tcgen05_code) << 61;
}

Result<SharedDescriptor> decode(uint64_t bits, DescriptorKind kind) {
  const bool wgmma = kind == DescriptorKind::kWgmma;
  const int code = static_cast<int>(wgmma ? bits >> 62 : bits >> 61);
  if (!wgmma && (bits >> 46 & 7) != 1) {
    return Diagnostic{.message = "bits 46-48 of a tcgen05 descriptor must be 0b001",
                      .code = "bad-descriptor"};
  }
  for (const SharedModeFacts& mode : shared_modes()) {
    if (code != (wgmma ? mode.wgmma_code : mode.tcgen05_code)) continue;
    return SharedDescriptor{.start = static_cast<uint32_t>(bits & kFieldMask) << 4,
                            .leading_offset = static_cast<uint32_t>(bits >> 16 & kFieldMask) << 4,
                            .stride_offset = static_cast<uint32_t>(bits >> 32 & kFieldMask) << 4,
                            .base_offset = static_cast<int>(bits >> 49 & 7),
                            .mode = mode.mode};
  }
  return Diagnostic{.message = fmt::format("{} is not a swizzle code", code),
                    .code = "bad-descriptor"};
}

Result<LinearMap> k_major_tile(const KMajorTile& tile) {
  const SharedModeFacts& mode = facts_of(tile.mode);
  const int64_t row_bits = int64_t{tile.cols} * tile.element_bits;
  const auto power = [](int64_t n) {
    return n > 0 && std::has_single_bit(static_cast<uint64_t>(n));
  };
  if (!power(tile.rows) || tile.rows < 8 || !power(tile.cols) || !power(tile.element_bits) ||
      tile.element_bits < 8 || row_bits % (int64_t{mode.row_bytes} * 8) != 0) {
    return Diagnostic{
        .message = fmt::format("{} x {} elements of {} bits do not fill atoms of "
                               "8 rows x {} bytes",
                               tile.rows, tile.cols, tile.element_bits, mode.row_bytes),
        .code = "bad-tile"};
  }
  // Columns walk an atom's row, then rows walk the tile, then further columns start new tiles.
  const Space to({{"offset", tile.rows * row_bits / 8}});
  std::vector<uint64_t> bases;
  for (int r = 1; r < tile.rows; r *= 2) bases.push_back(static_cast<uint64_t>(r * mode.row_bytes));
  for (int c = 1; c < tile.cols; c *= 2) {
    const int64_t byte = int64_t{c} * tile.element_bits / 8;
    const int64_t atoms = byte / mode.row_bytes;
    bases.push_back(static_cast<uint64_t>(atoms > 0 ? atoms * mode.row_bytes * tile.rows : byte));
  }
  const LinearMap plain(Space({{"row", tile.rows}, {"col", tile.cols}}), to, bases);
  return compose(swizzle_map(mode.swizzle, to.size()), plain);
}

}  // namespace warpledger
