#include "warpledger/memory/coalescer.h"

#include "tests/unit/memory/oracle.h"
#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

const std::vector<uint32_t> kWidths = {1, 2, 4, 8, 16, 32};

Lanes strided(int64_t stride_bytes, uint32_t width = 4, uint64_t base = 0x10000) {
  Lanes lanes{0xFFFFFFFF, width, {}};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes.address[lane] = base + static_cast<uint64_t>(stride_bytes * static_cast<int64_t>(lane));
  }
  return lanes;
}

uint64_t sectors(const Lanes& lanes) { return sectors_in(lines_of(lanes)); }

uint32_t tag_passes(const Lanes& lanes) {
  return tag_wavefronts(lines_of(lanes), [](const LineTouch& touch) { return touch.line; });
}

LAW(Coalescer, LinesAndSectorsAreTheDistinctOnes) {
  const Lanes lanes = any_lanes(rng, rng.pick(kWidths));
  const std::vector<LineTouch> lines = lines_of(lanes);
  EXPECT_EQ(lines.size(), distinct(lanes, kLineBytes).size());
  EXPECT_EQ(sectors_in(lines), distinct(lanes, kSectorBytes).size());
  uint64_t bytes = 0;
  for (const LineTouch& touch : lines) {
    bytes += static_cast<uint64_t>(std::popcount(touch.bytes[0]) + std::popcount(touch.bytes[1]));
  }
  EXPECT_EQ(bytes, distinct(lanes, 1).size());
}

LAW(Coalescer, TagWavefrontsAreTheFullestBank) {
  const Lanes lanes = any_lanes(rng, rng.pick(kWidths));
  std::map<uint64_t, uint32_t> load;
  uint32_t most = 0;
  for (const uint64_t line : distinct(lanes, kLineBytes)) {
    uint64_t fold = 0;
    for (uint64_t rest = line; rest; rest >>= 2) fold ^= rest & 3;
    most = std::max(most, ++load[fold]);
  }
  EXPECT_EQ(tag_passes(lanes), most);
}

TEST(Coalescer, AWarpOfFloatsIsFourSectorsOfOneLine) {
  EXPECT_EQ(lines_of(strided(4)).size(), 1u);
  EXPECT_EQ(sectors(strided(4)), 4u);
}

TEST(Coalescer, MisalignedByAWordTouchesOneMoreSector) {
  EXPECT_EQ(sectors(strided(4, 4, 0x10004)), 5u);
  EXPECT_EQ(lines_of(strided(4, 4, 0x10004)).size(), 2u);
}

TEST(Coalescer, AColumnOfARowMajorMatrixIsOneSectorPerLane) {
  EXPECT_EQ(sectors(strided(4096)), 32u);
  EXPECT_EQ(tag_passes(strided(4096)), 8u);  // 32 lines over 4 banks
}

TEST(Coalescer, ARowPitchThatFoldsToOneBankSerialises) {
  // 128 B x (5 = 0b0101): groups cancel in pairs, so only every other bank is used.
  EXPECT_GT(tag_passes(strided(5 * 128)), tag_passes(strided(128)));
}

TEST(Coalescer, VectorLoadsOfAFullWarpAreIdealAtSixteenSectors) {
  EXPECT_EQ(sectors(strided(16, 16)), 16u);
  EXPECT_EQ(ideal_sectors(strided(16, 16), 16), 16u);
  EXPECT_EQ(ideal_sectors(strided(4096), 32), 4u);
}

TEST(Coalescer, ABroadcastIsIdealThoughItUsesLessThanItsBytes) {
  EXPECT_EQ(ideal_sectors(strided(0), sectors(strided(0))), 1u);
}

TEST(Coalescer, NoLanesNoLines) {
  Lanes none = strided(4);
  none.mask = 0;
  EXPECT_TRUE(lines_of(none).empty());
}

TEST(Coalescer, StoresKnowWhichSectorsTheyLeaveIncomplete) {
  EXPECT_EQ(lines_of(strided(4)).front().partial_sectors(), 0);
  EXPECT_EQ(lines_of(strided(16)).front().partial_sectors(), 0xF);
  EXPECT_EQ(lines_of(strided(4, 4, 0x10004)).front().partial_sectors(), 0b0001);
}

TEST(Coalescer, TheLinesOfTheFirstPhaseComeFirst) {
  for (const uint32_t width : {4u, 8u, 16u}) {
    for (const uint32_t mask : {0xFFFFFFFFu, 0xFFFF0000u, 0x00F000F0u}) {
      Lanes lanes = strided(24, width);
      lanes.mask = mask;
      const auto all = lines_of(lanes), first = lines_of(first_phase(lanes));
      ASSERT_LE(first.size(), all.size());
      for (size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].line, all[i].line);
    }
  }
  EXPECT_EQ(first_phase(strided(8, 8)).mask, 0xFFFFu);
  EXPECT_EQ(first_phase(strided(16, 16)).mask, 0xFFu);
  EXPECT_EQ(first_phase(strided(4)).mask, 0xFFFFFFFFu);
}

TEST(Coalescer, LocalSlotsOfAWarpAreOneLine) {
  Lanes lanes{0xFFFFFFFF, 4, {}};
  lanes.address.fill(8);
  ASSERT_EQ(local_lines_of(lanes).size(), 1u);
  EXPECT_EQ(local_lines_of(lanes).front().line, 2u);
  EXPECT_EQ(local_lines_of(lanes).front().sectors, 0xF);
  lanes.width = 16;
  lanes.address.fill(16);
  EXPECT_EQ(sectors_in(local_lines_of(lanes)), 16u);
}

}  // namespace
}  // namespace warpledger::memory
