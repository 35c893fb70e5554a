// Where caches see texels: an array's bytes have places of their own inside of what it is given.
#include "warpledger/exec/decode/texel_layout.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/law.h"
#include "warpledger/exec/decode/texture.h"

namespace warpledger::exec {
namespace {

using testing::Rng;

Texture any_array(Rng& rng) {
  constexpr uint8_t kChannels[] = {1, 2, 4}, kBits[] = {8, 16, 32};
  Texture made;
  made.is_array = true;
  made.format = {.channels = kChannels[rng.between(0, 2)],
                 .bits = kBits[rng.between(0, 2)],
                 .kind = TexelKind::kUnsigned};
  made.dimensions = static_cast<uint8_t>(rng.between(1, 3));
  made.is_layered = made.dimensions < 3 && rng.coin();
  const auto size = [&](bool there) {
    return there ? static_cast<uint32_t>(rng.between(1, 4 + rng.size() / 3)) : 1u;
  };
  const uint32_t width = size(true), height = size(made.dimensions > 1);
  made.base =
      packed_box(0x10000, width, height, size(made.dimensions > 2 || made.is_layered), made.format);
  return made;
}

LAW(TexelLayout, EveryTexelHasAPlaceOfItsOwnInsideOfTheArray) {
  const Texture array = any_array(rng);
  const TexelBox& box = array.base;
  const uint64_t bytes = laid_out_bytes(array, box), texel = array.format.bytes();
  EXPECT_GE(bytes, box.slice * box.depth);
  std::set<uint64_t> seen;
  for (uint64_t z = 0; z < box.depth; ++z)
    for (uint64_t y = 0; y < box.height; ++y)
      for (uint64_t x = 0; x < box.width; ++x) {
        const uint64_t place = texel_place(array, box, x * texel, y, z);
        EXPECT_EQ(place % texel, 0u);
        EXPECT_GE(place, box.address);
        EXPECT_LE(place + texel, box.address + bytes);
        EXPECT_TRUE(seen.insert(place).second);
      }
}

LAW(TexelLayout, TheBytesOfATexelStayTogether) {
  const Texture array = any_array(rng);
  const uint64_t texel = array.format.bytes();
  const uint64_t place = texel_place(array, array.base, 0, 0, 0);
  for (uint64_t i = 1; i < texel; ++i)
    EXPECT_EQ(texel_place(array, array.base, i, 0, 0), place + i);
}

LAW(TexelLayout, LevelsDoNotOverlap) {
  Texture array = any_array(rng);
  array.levels = static_cast<uint32_t>(rng.between(1, 4));
  for (uint32_t i = 0; i + 1 < array.levels; ++i)
    EXPECT_EQ(array.level(i + 1).address,
              array.level(i).address + laid_out_bytes(array, array.level(i)));
  EXPECT_EQ(
      bytes_of(array) + array.base.address,
      array.level(array.levels - 1).address + laid_out_bytes(array, array.level(array.levels - 1)));
}

// Tegra X1 Technical Reference Manual: a sector is 16 bytes of two rows, a line of 128 bytes 32 of
// four, a GOB 64 of eight; the next GOB of a block is below.
TEST(TexelLayout, BlocksAreAsTegrasManualDrawsThem) {
  Texture array;
  array.is_array = true;
  array.dimensions = 2;
  array.base = packed_box(0, 64, 64, 1, array.format);  // rows of 256 bytes: 4 GOBs, 8 high
  const auto at = [&](uint64_t x, uint64_t y) { return texel_place(array, array.base, x, y, 0); };
  EXPECT_EQ(at(12, 0), 12u);
  EXPECT_EQ(at(0, 1), 16u);
  EXPECT_EQ(at(16, 0), 32u);
  EXPECT_EQ(at(0, 2), 64u);
  EXPECT_EQ(at(32, 0), 256u);
  EXPECT_EQ(at(60, 7), 511u - 3);
  EXPECT_EQ(at(0, 8), 512u);
  EXPECT_EQ(at(64, 0), 8 * 512u);
}

TEST(TexelLayout, TheUsersOwnMemoryIsWhereItIs) {
  Texture rows;
  rows.dimensions = 2;
  rows.base = packed_box(0x1000, 16, 8, 1, rows.format);
  rows.base.pitch = 512;
  EXPECT_FALSE(is_block_linear(rows));
  EXPECT_EQ(texel_place(rows, rows.base, 12, 3, 0), 0x1000u + 3 * 512 + 12);
}

TEST(TexelLayout, ArraysOfOneDimensionAreLinear) {
  Texture line;
  line.is_array = true;
  line.base = packed_box(0x1000, 100, 1, 1, line.format);
  EXPECT_FALSE(is_block_linear(line));
  EXPECT_EQ(texel_place(line, line.base, 396, 0, 0), 0x1000u + 396);
}

}  // namespace
}  // namespace warpledger::exec
