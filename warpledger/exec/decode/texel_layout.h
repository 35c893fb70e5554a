// Where texels lie in memory, for the caches. Linear memory and rows with a pitch are the user's
// own: their addresses are known. Arrays of two and three dimensions are "block linear", and NVIDIA
// does not publish how CUDA lays them out. Assumed is what is public of the same hardware:
//
//   GOB    64 bytes x 8 rows, 512 bytes; a sector of 32 bytes is 16 bytes of 2 rows (Tegra X1
//          Technical Reference Manual, "Block Linear", which gives the formula)
//   block  GOBs one above the other, as many as cover the height: 1 to 16, of 3-D arrays 1 to 4 and
//          1 to 16 slices deep (Mesa, nv50_miptree.c: nv50_tex_choose_tile_dims_helper)
//   array  blocks row by row; layers one behind the other
//
// Arrays of one dimension are taken as linear. Values do not lie so (texture.h): an array is given
// the bytes of its blocks, and only what the trace shows is placed in them.
#pragma once

#include <cstdint>

namespace warpledger::exec {

struct TexelBox;
struct Texture;

/// Whether the texels' addresses follow the assumption above.
[[nodiscard]] bool is_block_linear(const Texture& texture);

/// The bytes that a level takes; as many as its texels at the least.
[[nodiscard]] uint64_t laid_out_bytes(const Texture& texture, const TexelBox& box);

/// The address of byte `x` of row `y` of slice or layer `z`. Pre: inside of the box.
[[nodiscard]] uint64_t texel_place(const Texture& texture, const TexelBox& box, uint64_t x,
                                   uint64_t y, uint64_t z);

}  // namespace warpledger::exec
