#include "warpledger/exec/decode/texture.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "warpledger/exec/decode/texel_layout.h"

namespace warpledger::exec {
namespace {

constexpr uint64_t kMark = 0x7465'7874'7572'6531;  // "texture1"
static_assert(std::is_trivially_copyable_v<Texture> && sizeof(Texture) + 8 <= kTextureBytes);

Diagnostic refused(const char* message) { return {.message = message, .code = "bad-texture"}; }

}  // namespace

TexelBox packed_box(uint64_t address, uint32_t width, uint32_t height, uint32_t depth,
                    const TexelFormat& format) {
  TexelBox box{.address = address, .width = width, .height = height, .depth = depth};
  box.pitch = uint64_t{width} * format.bytes();
  box.slice = box.pitch * height;
  return box;
}

TexelBox Texture::level(uint32_t level) const {
  TexelBox box = base;
  for (uint32_t i = 0; i < level; ++i) {
    const uint64_t next = box.address + laid_out_bytes(*this, box);
    const uint32_t depth = is_layered ? box.depth : std::max(1u, box.depth / 2);
    box =
        packed_box(next, std::max(1u, box.width / 2), std::max(1u, box.height / 2), depth, format);
  }
  return box;
}

uint64_t bytes_of(const Texture& texture) {
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < texture.levels; ++i) bytes += laid_out_bytes(texture, texture.level(i));
  return bytes;
}

Status check(const Texture& texture) {
  const TexelFormat& format = texture.format;
  if (format.channels != 1 && format.channels != 2 && format.channels != 4)
    return refused("a texel has 1, 2 or 4 channels");
  if (format.bits != 8 && format.bits != 16 && format.bits != 32)
    return refused("a channel has 8, 16 or 32 bits");
  if (format.kind == TexelKind::kFloat && format.bits == 8)
    return refused("a channel of floating point has 16 or 32 bits");
  const bool is_float = format.kind == TexelKind::kFloat || texture.reads_as_float;
  if (texture.reads_as_float && format.kind != TexelKind::kFloat && format.bits == 32)
    return refused("channels of 32 bits cannot be read as normalized floats");
  if (texture.filter == TextureFilter::kLinear && !is_float)
    return refused("linear filtering needs a texture that is read as floats");
  if (texture.levels > 1 && !texture.is_normalized && !texture.is_surface)
    return refused("a mipmapped texture needs normalized coordinates");
  return {};
}

TextureBytes encode(const Texture& texture) {
  TextureBytes bytes = {};
  std::memcpy(bytes.data(), &kMark, sizeof kMark);
  std::memcpy(bytes.data() + sizeof kMark, &texture, sizeof texture);
  return bytes;
}

Result<Texture> decode_texture(std::span<const std::byte> bytes) {
  uint64_t mark = 0;
  if (bytes.size() >= kTextureBytes) std::memcpy(&mark, bytes.data(), sizeof mark);
  if (mark != kMark) return refused("the handle is not a texture or surface object");
  Texture texture;
  std::memcpy(&texture, bytes.data() + sizeof kMark, sizeof texture);
  return texture;
}

}  // namespace warpledger::exec
