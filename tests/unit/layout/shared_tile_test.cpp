#include "warpledger/layout/catalog/shared_tile.h"

#include "tests/support/law.h"

namespace warpledger {
namespace {

LAW(SharedDescriptor, DecodesWhatItEncodes) {
  const SharedDescriptor d{.start = static_cast<uint32_t>(rng.between(0, 16383)) * 16,
                           .leading_offset = static_cast<uint32_t>(rng.between(0, 16383)) * 16,
                           .stride_offset = static_cast<uint32_t>(rng.between(0, 16383)) * 16,
                           .base_offset = static_cast<int>(rng.between(0, 7)),
                           .mode = static_cast<SharedMode>(rng.between(0, 3))};
  for (const DescriptorKind kind : {DescriptorKind::kWgmma, DescriptorKind::kTcgen05}) {
    EXPECT_EQ(*decode(*encode(d, kind), kind), d);
  }
}

TEST(SharedDescriptor, EncodesThePublishedFields) {
  const SharedDescriptor d{
      .start = 0x400, .leading_offset = 16, .stride_offset = 1024, .mode = SharedMode::k128};
  EXPECT_EQ(*encode(d, DescriptorKind::kWgmma), 0x4000004000010040ULL);
  EXPECT_EQ(*encode(d, DescriptorKind::kTcgen05), 0x4000404000010040ULL);
}

TEST(SharedDescriptor, RefusesAnUnalignedStart) {
  EXPECT_EQ(encode({.start = 8}, DescriptorKind::kWgmma).error().code, "bad-descriptor");
}

TEST(KMajorTile, SwizzlesSixteenByteUnitsByRow) {
  const LinearMap tile = *k_major_tile({SharedMode::k128, 64, 64, 16});
  for (int row = 0; row < 64; ++row) {
    for (int col = 0; col < 64; ++col) {
      EXPECT_EQ(tile.at({row, col})[0], row * 128 + ((col / 8) ^ (row % 8)) * 16 + col % 8 * 2);
    }
  }
}

TEST(KMajorTile, IsABijectionInEveryMode) {
  for (const SharedModeFacts& mode : shared_modes()) {
    const auto tile = k_major_tile({mode.mode, 128, 64, 16});
    ASSERT_TRUE(tile.ok()) << mode.name;
    EXPECT_TRUE(tile->is_injective()) << mode.name;
  }
}

}  // namespace
}  // namespace warpledger
