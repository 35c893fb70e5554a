#include "warpledger/memory/banks.h"

#include "tests/unit/memory/oracle.h"

namespace warpledger::memory {
namespace {

Lanes strided(int64_t stride_bytes, uint32_t width = 4) {
  Lanes lanes{0xFFFFFFFF, width, {}};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes.address[lane] = static_cast<uint64_t>(stride_bytes * static_cast<int64_t>(lane));
  }
  return lanes;
}

LAW(Banks, GlobalPhasesAreWarpHalvesAndQuarters) {
  for (const uint32_t width : {1u, 2u, 4u, 8u, 16u}) {
    const Lanes lanes = any_lanes(rng, width);
    const uint32_t per_phase = width <= 4 ? 32 : 128 / width;
    Wavefronts expected{0, 0, static_cast<uint32_t>(distinct(lanes, 4).size())};
    for (uint32_t first = 0; first < 32; first += per_phase) {
      const auto mask = static_cast<uint32_t>(((uint64_t{1} << per_phase) - 1) << first);
      expected.total += naive_passes(lanes, mask);
      expected.ideal += (lanes.mask & mask) != 0;
    }
    EXPECT_EQ(global_wavefronts(lanes), expected) << width;
  }
}

LAW(Banks, SharedNeverTakesMoreThanGlobal) {
  for (const uint32_t width : {4u, 8u, 16u}) {
    const Lanes lanes = any_lanes(rng, width);
    const Wavefronts shared = shared_wavefronts(lanes), global = global_wavefronts(lanes);
    EXPECT_LE(shared.total, global.total);
    EXPECT_LE(shared.ideal, shared.total);
    EXPECT_EQ(shared.words, global.words);
  }
}

LAW(Banks, MovingAllLanesByAWordChangesNothing) {
  const Lanes lanes = any_lanes(rng, 4);
  Lanes moved = lanes;
  for (uint64_t& address : moved.address) address += 4;
  EXPECT_EQ(shared_wavefronts(lanes), shared_wavefronts(moved));
}

TEST(Banks, StrideOneIsFreeStrideTwoTwoWayStrideThirtyTwoSerial) {
  EXPECT_EQ(shared_wavefronts(strided(4)).total, 1u);
  EXPECT_EQ(shared_wavefronts(strided(8)).total, 2u);
  EXPECT_EQ(shared_wavefronts(strided(128)).total, 32u);
  EXPECT_EQ(shared_wavefronts(strided(132)).total, 1u);  // padded by one word
}

TEST(Banks, OneWordForAllIsABroadcast) { EXPECT_EQ(shared_wavefronts(strided(0)).total, 1u); }

TEST(Banks, BytesOfOneWordDoNotConflict) {
  EXPECT_EQ(shared_wavefronts(strided(1, 1)).total, 1u);
  EXPECT_EQ(shared_wavefronts(strided(2, 2)).total, 1u);
}

TEST(Banks, SixtyFourBitsTakeTwoWavefrontsUnlessPairsRepeat) {
  EXPECT_EQ(shared_wavefronts(strided(8, 8)), (Wavefronts{2, 2, 64}));
  Lanes pairs = strided(8, 8);
  for (size_t lane = 0; lane < kLanes; ++lane) pairs.address[lane] = lane / 2 * 8;
  EXPECT_EQ(shared_wavefronts(pairs), (Wavefronts{1, 1, 32}));
  EXPECT_EQ(global_wavefronts(strided(0, 8)).total, 2u);  // the L1 array does not merge
}

TEST(Banks, OneHundredTwentyEightBitsTakeFourAndTwoWhenAllAreTheSame) {
  EXPECT_EQ(shared_wavefronts(strided(16, 16)), (Wavefronts{4, 4, 128}));
  EXPECT_EQ(shared_wavefronts(strided(32, 16)).total, 8u);
  EXPECT_EQ(shared_wavefronts(strided(0, 16)), (Wavefronts{2, 2, 4}));
}

TEST(Banks, EmptyPhasesCostNothing) {
  Lanes quarter = strided(16, 16);
  quarter.mask = 0xFF;
  EXPECT_EQ(shared_wavefronts(quarter), (Wavefronts{1, 1, 32}));
  quarter.mask = 0;
  EXPECT_EQ(shared_wavefronts(quarter), (Wavefronts{0, 0, 0}));
}

TEST(Banks, LdmatrixTakesOnePhasePerEightRows) {
  EXPECT_EQ(matrix_wavefronts(strided(16, 16)), (Wavefronts{4, 4, 128}));  // .x4, packed rows
  EXPECT_EQ(matrix_wavefronts(strided(128, 16)).total, 32u);  // rows of 64 halves, no swizzle
  EXPECT_EQ(matrix_wavefronts(strided(144, 16)).total, 4u);   // padded by 16 B
  Lanes one = strided(16, 16);
  one.mask = 0xFF;
  EXPECT_EQ(matrix_wavefronts(one).total, 1u);  // .x1
}

TEST(Banks, SharedAtomicsToOneAddressTakeTurns) {
  EXPECT_EQ(shared_atomic_wavefronts(strided(0)).total, 32u);
  EXPECT_EQ(shared_atomic_wavefronts(strided(4)).total, 1u);
}

}  // namespace
}  // namespace warpledger::memory
