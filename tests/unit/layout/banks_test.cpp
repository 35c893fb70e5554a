#include "warpledger/layout/banks/banks.h"

#include <algorithm>
#include <cstdlib>

#include "tests/unit/layout/any_map.h"
#include "warpledger/layout/banks/tile_access.h"
#include "warpledger/layout/catalog/fragment.h"

namespace warpledger {
namespace {

using testing::Rng;

/// A random linear (lane) -> byte offset, aligned to `bytes`.
LinearMap any_addresses(Rng& rng, int bytes) {
  const Space from({{"lane", 32}}), to({{"offset", 1 << 16}});
  std::vector<uint64_t> bases;
  const int span = static_cast<int>(rng.between(5, 14));
  for (int b = 0; b < 5; ++b) {
    const uint64_t word =
        rng.coin() ? rng.bits() % (uint64_t{1} << span) : uint64_t{1} << rng.between(0, 9);
    bases.push_back(word * static_cast<uint64_t>(bytes) % (1 << 16));
  }
  return LinearMap(from, to, bases);
}

void expect_rank_equals_enumeration(Rng& rng) {
  const int bytes = 1 << rng.between(2, 4);
  const LinearMap addresses = any_addresses(rng, bytes);
  const std::vector<int> counted = wavefronts_by_enumeration({Layout(addresses), bytes});
  EXPECT_EQ(counted, std::vector<int>(counted.size(), wavefronts_by_rank(addresses, bytes)));
}

// The theorem against brute force: 100,000 random maps.
LAW_ROUNDS(Banks, RankCountsLikeBruteForce, 100000) { expect_rank_equals_enumeration(rng); }

SharedAccess strided(int stride, int bytes) {
  const Space from({{"lane", 32}}), to({{"offset", 32 * stride + 1}});
  return {Layout::tabulate(from, to,
                           [&](const auto& at) { return std::vector<int64_t>{at[0] * stride}; }),
          bytes};
}

TEST(Banks, ContiguousVectorsTakeOneWavefrontPerPhase) {
  EXPECT_EQ(count_conflicts(strided(4, 4))->wavefronts, (std::vector<int>{1}));
  EXPECT_EQ(count_conflicts(strided(8, 8))->wavefronts, (std::vector<int>{1, 1}));
  EXPECT_EQ(count_conflicts(strided(16, 16))->wavefronts, (std::vector<int>{1, 1, 1, 1}));
}

// forums.developer.nvidia.com, thread 359822: 8,844,480 LDS.128; a bad layout shows 283,023,360
// wavefronts and 247,645,440 conflicts, a good one 35,377,920 and 0.
TEST(Banks, EqualsThePublishedCountsOfWideLoads) {
  constexpr int64_t kInstructions = 8'844'480;
  const auto bad = count_conflicts(strided(128, 16));
  EXPECT_EQ(bad->total() * kInstructions, 283'023'360);
  EXPECT_EQ(bad->conflicts() * kInstructions, 247'645'440);
  const auto good = count_conflicts(strided(16, 16));
  EXPECT_EQ(good->total() * kInstructions, 35'377'920);
  EXPECT_EQ(good->conflicts() * kInstructions, 0);
}

TEST(Banks, BroadcastIsOneWavefront) { EXPECT_EQ(count_conflicts(strided(0, 4))->total(), 1); }

TEST(Banks, NarrowLanesShareAWord) {
  EXPECT_EQ(count_conflicts(strided(1, 1))->total(), 1);
  EXPECT_EQ(count_conflicts(strided(2, 2))->total(), 1);
}

TEST(Banks, PaddingIsCountedByEnumeration) {
  const auto padded = count_conflicts(strided(9 * 4, 4));
  EXPECT_FALSE(padded->by_rank);
  EXPECT_EQ(padded->total(), 1);
}

TEST(Banks, TheWitnessNamesLanesThatCollide) {
  const auto report = count_conflicts(strided(64, 4));
  EXPECT_EQ(report->total(), 16);
  EXPECT_EQ(report->worst.words.size(), 16U);
  for (const int lane : report->worst.lanes) {
    EXPECT_EQ(lane * 16 % 32, report->worst.bank);
  }
}

TEST(Banks, RefusesMisalignedAddresses) {
  EXPECT_EQ(count_conflicts(strided(4, 16)).error().code, "misaligned-access");
}

TEST(TileAccess, FindsTheWidestVector) {
  const auto c = find_fragment("mma.m16n8k16.C.f32");
  const auto rows = tile_accesses(Layout(c->map), *read_tile("(16,8):(8,1)", 4));
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].bytes, 8);
  const auto columns = tile_accesses(Layout(c->map), *read_tile("(16,8):(1,16)", 4));
  EXPECT_EQ((*columns)[0].bytes, 4);
  EXPECT_EQ(columns->size(), 4U);
}

// CUTLASS's usual 128-byte rows: column reads by ldmatrix conflict eightfold, Swizzle<3,3,3> frees
// them.
TEST(TileAccess, SwizzleFreesLdmatrix) {
  const Space from({{"lane", 32}}), to({{"row", 32}, {"col", 64}});
  const Layout rows = Layout::tabulate(from, to, [](const auto& at) {
    return std::vector<int64_t>{at[0], 0};
  });
  const auto plain = tile_accesses(rows, *read_tile("(32,64):(64,1)", 2), 16);
  EXPECT_EQ(count_conflicts((*plain)[0])->wavefronts, (std::vector<int>{8, 8, 8, 8}));
  const auto swizzled = tile_accesses(rows, *read_tile("Swizzle<3,3,3> o (32,64):(64,1)", 2), 16);
  EXPECT_EQ(count_conflicts((*swizzled)[0])->wavefronts, (std::vector<int>{1, 1, 1, 1}));
}

TEST(Remedy, FindsAConflictFreeSwizzleAndPadding) {
  const auto remedies = propose_remedies({strided(128, 16)});
  ASSERT_EQ(remedies.size(), 2U);
  EXPECT_EQ(remedies[0].wavefronts, 4);
  EXPECT_EQ(remedies[0].text, "Swizzle<3,4,3> on byte offsets");
  EXPECT_EQ(remedies[0].extra_bytes, 0);
  EXPECT_EQ(remedies[1].wavefronts, 4);
}

}  // namespace
}  // namespace warpledger
