// What a texture unit computes of a texture: texels by coordinates, filtered as the CUDA
// programming guide says ("Texture Fetching"). Weights of linear filtering have 8 bits behind the
// point, as documented; that they are rounded to nearest is assumed. Levels are chosen without
// anisotropy.
#pragma once

#include <array>

#include "warpledger/base/check.h"
#include "warpledger/exec/decode/texture.h"
#include "warpledger/exec/memory/device_memory.h"

namespace warpledger::exec {

/// The texels that one lane's fetch touches, where caches see them (texel_layout.h): none outside
/// with a border, up to eight of each of two levels. Texels of weight 0 are taken as not fetched.
struct Touched {
  std::array<uint64_t, 16> address = {};
  uint32_t count = 0;
  void add(uint64_t place) {
    WL_CHECK(count < address.size());
    address[count++] = place;
  }
  void add(const Touched& other) {
    for (uint32_t i = 0; i < other.count; ++i) add(other.address[i]);
  }
};

/// Four channels. Of an integer texture that is not read as floats these are integers in 32 bits,
/// else floats. Channels that the format lacks are 0, 0 and 1.
struct Sample {
  std::array<uint32_t, 4> bits = {};
  uint64_t bad_address = 0;  // of a texel outside of every allocation; 0: none
  Touched touched = {};
};

/// Where to read: texels, or from 0 to 1, per dimension.
struct Coordinates {
  std::array<float, 3> at = {};
  uint32_t layer = 0;
};

/// tex: level 0, or `level` of a mipmapped texture before bias and clamping.
[[nodiscard]] Sample sample(const Texture& texture, const DeviceMemory& memory,
                            const Coordinates& where, float level = 0);
/// tex with integer coordinates: one texel of linear memory, or of a level; 0 outside.
[[nodiscard]] Sample fetch(const Texture& texture, const DeviceMemory& memory,
                           const std::array<int32_t, 3>& at, uint32_t layer);
/// tld4: one channel of the four texels that linear filtering would read, in the order
/// (0, 1), (1, 1), (1, 0), (0, 0). Pre: two dimensions.
[[nodiscard]] Sample gather(const Texture& texture, const DeviceMemory& memory,
                            const Coordinates& where, uint32_t channel);
/// tex.grad: the level whose texels are as far apart as the longer of the two steps.
[[nodiscard]] float level_of_steps(const Texture& texture, const std::array<float, 3>& dx,
                                   const std::array<float, 3>& dy);

}  // namespace warpledger::exec
