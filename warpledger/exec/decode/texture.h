// A texture or surface: what cudaCreateTextureObject makes of an array or of linear memory, and
// what tex, tld4, suld and sust read and write. NVIDIA's records are opaque; these are our own. A
// record lies in device memory and its address is the handle that kernels are given.
//
// Texels lie row by row, levels one behind the other. Hardware orders those of arrays in blocks: no
// value depends on it, and what caches see is placed by texel_layout.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpledger/base/result.h"

namespace warpledger::exec {

enum class TexelKind : uint8_t { kUnsigned, kSigned, kFloat };
enum class TextureFilter : uint8_t { kPoint, kLinear };
/// The numbers of cudaTextureAddressMode.
enum class AddressMode : uint8_t { kWrap, kClamp, kMirror, kBorder };

struct TexelFormat {
  uint8_t channels = 1;  // 1, 2 or 4
  uint8_t bits = 32;     // of a channel: 8, 16 or 32
  TexelKind kind = TexelKind::kFloat;

  [[nodiscard]] uint32_t bytes() const { return uint32_t{channels} * bits / 8; }
  friend bool operator==(const TexelFormat&, const TexelFormat&) = default;
};

/// One level: texels of 1 to 3 dimensions, or layers of 1 or 2.
struct TexelBox {
  uint64_t address = 0;
  uint32_t width = 1, height = 1, depth = 1;  // depth: layers, too
  uint64_t pitch = 0, slice = 0;              // bytes from row to row, from slice to slice
};

struct Texture {
  TexelFormat format = {};
  uint8_t dimensions = 1;
  bool is_layered = false;
  bool is_array = false;  // a CUDA array, not the user's own memory
  uint32_t levels = 1;
  TexelBox base = {};
  // How it is read; surfaces have none of it.
  bool is_surface = false;
  bool is_normalized = false;   // coordinates from 0 to 1
  bool reads_as_float = false;  // integers from 0 to 1, or -1 to 1
  TextureFilter filter = TextureFilter::kPoint, level_filter = TextureFilter::kPoint;
  std::array<AddressMode, 3> mode = {AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  std::array<float, 4> border = {};
  float level_bias = 0, least_level = 0, greatest_level = 0;

  /// Pre: level < levels.
  [[nodiscard]] TexelBox level(uint32_t level) const;
};

/// Texels of a level, packed: pitch and slice follow from its size.
[[nodiscard]] TexelBox packed_box(uint64_t address, uint32_t width, uint32_t height, uint32_t depth,
                                  const TexelFormat& format);
/// All levels of a packed texture, as texel_layout.h lays them out.
[[nodiscard]] uint64_t bytes_of(const Texture& texture);
/// Fails, naming the rule, on what is not supported or does not go together.
[[nodiscard]] Status check(const Texture& texture);

inline constexpr size_t kTextureBytes = 256;
using TextureBytes = std::array<std::byte, kTextureBytes>;
[[nodiscard]] TextureBytes encode(const Texture& texture);
/// Fails when the bytes are not a record of ours.
[[nodiscard]] Result<Texture> decode_texture(std::span<const std::byte> bytes);

}  // namespace warpledger::exec
