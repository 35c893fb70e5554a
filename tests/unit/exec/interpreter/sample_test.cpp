// What a texture unit computes, against formulas of the CUDA programming guide written out.
#include "warpledger/exec/interpreter/sample.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace warpledger::exec {
namespace {

class SampleTest : public ::testing::Test {
 protected:
  /// A row of floats: texel i is 10 * i.
  Texture row(uint32_t width) {
    Texture texture{.dimensions = 1};
    texture.base = packed_box(*memory_.allocate(width * 4, "texels"), width, 1, 1, texture.format);
    for (uint32_t i = 0; i < width; ++i) {
      const float value = 10.0f * static_cast<float>(i);
      std::memcpy(memory_.find(texture.base.address + 4 * i, 4), &value, 4);
    }
    return texture;
  }
  float at(const Texture& texture, float x) {
    return std::bit_cast<float>(sample(texture, memory_, {.at = {x}}).bits[0]);
  }
  DeviceMemory memory_{uint64_t{1} << 24};
};

TEST_F(SampleTest, PointReadsTheTexelThatHoldsTheCoordinate) {
  const Texture texture = row(8);
  for (int i = 0; i < 32; ++i) {
    const float x = 0.25f * static_cast<float>(i);
    EXPECT_EQ(at(texture, x), 10 * std::floor(x)) << x;
  }
}

TEST_F(SampleTest, LinearWeighsWithEightBitsBehindThePoint) {
  Texture texture = row(8);
  texture.filter = TextureFilter::kLinear;
  for (int i = 0; i < 700; ++i) {
    const float x = 0.5f + 0.01f * static_cast<float>(i);
    const float from_center = x - 0.5f, whole = std::floor(from_center);
    const float weight = std::floor((from_center - whole) * 256 + 0.5f) / 256;
    const float next = std::min(whole + 1, 7.0f);
    EXPECT_FLOAT_EQ(at(texture, x), (1 - weight) * 10 * whole + weight * 10 * next) << x;
  }
}

TEST_F(SampleTest, CentersOfTexelsAreTheTexelsThemselves) {
  Texture texture = row(8);
  texture.filter = TextureFilter::kLinear;
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(at(texture, static_cast<float>(i) + 0.5f), 10.0f * static_cast<float>(i));
}

TEST_F(SampleTest, AddressModesFoldNormalizedCoordinates) {
  Texture texture = row(4);
  texture.is_normalized = true;
  texture.border[0] = -1;
  const auto index = [&](AddressMode mode, float x) {
    texture.mode[0] = mode;
    return at(texture, x / 4) / 10;
  };
  EXPECT_EQ(index(AddressMode::kWrap, 5.5f), 1);
  EXPECT_EQ(index(AddressMode::kWrap, -0.5f), 3);
  EXPECT_EQ(index(AddressMode::kMirror, 4.5f), 3);
  EXPECT_EQ(index(AddressMode::kMirror, -1.5f), 1);
  EXPECT_EQ(index(AddressMode::kMirror, 8.5f), 0);
  EXPECT_EQ(index(AddressMode::kClamp, 9.5f), 3);
  EXPECT_EQ(index(AddressMode::kClamp, -9.5f), 0);
  EXPECT_EQ(index(AddressMode::kBorder, 4.5f), -0.1f);
}

TEST_F(SampleTest, WrapIsClampWithoutNormalizedCoordinates) {
  Texture texture = row(4);
  texture.mode[0] = AddressMode::kWrap;
  EXPECT_EQ(at(texture, 5.5f), 30);
}

TEST_F(SampleTest, SmallIntegersBecomeFractions) {
  Texture texture{.format = {.channels = 2, .bits = 8, .kind = TexelKind::kSigned}};
  texture.reads_as_float = true;
  texture.base = packed_box(*memory_.allocate(2, "texels"), 1, 1, 1, texture.format);
  const int8_t texel[] = {-128, 127};
  std::memcpy(memory_.find(texture.base.address, 2), texel, 2);
  const Sample found = sample(texture, memory_, {});
  EXPECT_EQ(std::bit_cast<float>(found.bits[0]), -1.0f);
  EXPECT_EQ(std::bit_cast<float>(found.bits[1]), 1.0f);
  EXPECT_EQ(std::bit_cast<float>(found.bits[3]), 1.0f);  // a channel that is not there
}

TEST_F(SampleTest, ATexelOutsideOfMemoryIsNamed) {
  Texture texture = row(4);
  texture.base.width = 400;
  EXPECT_EQ(sample(texture, memory_, {.at = {300}}).bad_address, texture.base.address + 1200);
}

TEST(Texture, IsReadBackAsItWasWritten) {
  Texture texture{.format = {.channels = 4, .bits = 16}, .dimensions = 2, .levels = 3};
  texture.base = packed_box(4096, 9, 5, 1, texture.format);
  const auto again = decode_texture(encode(texture));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->format, texture.format);
  EXPECT_EQ(again->base.pitch, 72u);
  EXPECT_FALSE(decode_texture(TextureBytes{}).ok());
}

TEST(Texture, LevelsFollowEachOtherAndHalve) {
  Texture texture{.dimensions = 2, .levels = 4, .is_normalized = true};
  texture.base = packed_box(0, 8, 4, 1, texture.format);
  const uint32_t width[] = {8, 4, 2, 1}, height[] = {4, 2, 1, 1};
  uint64_t at = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const TexelBox box = texture.level(i);
    EXPECT_EQ(box.width, width[i]);
    EXPECT_EQ(box.height, height[i]);
    EXPECT_EQ(box.address, at);
    at += uint64_t{box.width} * box.height * 4;
  }
  EXPECT_EQ(bytes_of(texture), at);
}

TEST(Texture, RefusesFilteredIntegers) {
  Texture texture{.format = {.bits = 32, .kind = TexelKind::kSigned}};
  EXPECT_TRUE(check(texture).ok());
  texture.filter = TextureFilter::kLinear;
  EXPECT_FALSE(check(texture).ok());
}

}  // namespace
}  // namespace warpledger::exec
