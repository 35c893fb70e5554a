#include "warpledger/exec/decode/texel_layout.h"

#include <algorithm>
#include <bit>

#include "warpledger/exec/decode/texture.h"

namespace warpledger::exec {
namespace {

constexpr uint64_t kGobWidth = 64, kGobHeight = 8, kGobBytes = kGobWidth * kGobHeight;
constexpr uint64_t kMostGobsHigh = 16, kMostGobsHighOf3d = 4, kMostSlicesDeep = 16;

uint64_t blocks_for(uint64_t size, uint64_t block) { return (size + block - 1) / block; }

/// A level's blocks: how large one is and how many there are.
struct Blocks {
  uint64_t gobs_high = 1, slices_deep = 1;
  uint64_t across = 1, down = 1, deep = 1;

  [[nodiscard]] uint64_t block_bytes() const { return kGobBytes * gobs_high * slices_deep; }
  [[nodiscard]] uint64_t bytes() const { return block_bytes() * across * down * deep; }
};

/// Of one layer, or of all slices.
Blocks blocks_of(const Texture& texture, const TexelBox& box) {
  const bool is_3d = texture.dimensions == 3;
  Blocks made;
  made.gobs_high = std::min(std::bit_ceil(blocks_for(box.height, kGobHeight)),
                            is_3d ? kMostGobsHighOf3d : kMostGobsHigh);
  if (is_3d) made.slices_deep = std::min(std::bit_ceil(uint64_t{box.depth}), kMostSlicesDeep);
  made.across = blocks_for(uint64_t{box.width} * texture.format.bytes(), kGobWidth);
  made.down = blocks_for(box.height, kGobHeight * made.gobs_high);
  made.deep = is_3d ? blocks_for(box.depth, made.slices_deep) : 1;
  return made;
}

/// The formula of Tegra's manual.
uint64_t place_in_gob(uint64_t x, uint64_t y) {
  return (x % 64) / 32 * 256 + (y % 8) / 2 * 64 + (x % 32) / 16 * 32 + y % 2 * 16 + x % 16;
}

}  // namespace

bool is_block_linear(const Texture& texture) { return texture.is_array && texture.dimensions > 1; }

uint64_t laid_out_bytes(const Texture& texture, const TexelBox& box) {
  if (!is_block_linear(texture)) return box.slice * box.depth;
  return blocks_of(texture, box).bytes() * (texture.is_layered ? box.depth : 1);
}

uint64_t texel_place(const Texture& texture, const TexelBox& box, uint64_t x, uint64_t y,
                     uint64_t z) {
  if (!is_block_linear(texture)) return box.address + z * box.slice + y * box.pitch + x;
  const Blocks blocks = blocks_of(texture, box);
  const uint64_t layer = texture.is_layered ? z : 0, slice = texture.is_layered ? 0 : z;
  const uint64_t rows = kGobHeight * blocks.gobs_high;
  const uint64_t block =
      (slice / blocks.slices_deep * blocks.down + y / rows) * blocks.across + x / kGobWidth;
  const uint64_t gob = slice % blocks.slices_deep * blocks.gobs_high + y % rows / kGobHeight;
  return box.address + layer * blocks.bytes() + block * blocks.block_bytes() + gob * kGobBytes +
         place_in_gob(x, y);
}

}  // namespace warpledger::exec
