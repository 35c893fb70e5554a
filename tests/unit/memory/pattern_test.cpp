#include "warpledger/memory/pattern.h"

#include "tests/unit/memory/oracle.h"

namespace warpledger::memory {
namespace {

using trace::Kind;
using trace::Shape;
using trace::Site;
using trace::Space;

LAW(Patterns, TheTableAnswersLikeTheUnitsOnEveryBase) {
  trace::ShapeTable shapes;
  const auto width = static_cast<uint8_t>(1 << rng.between(0, 4));
  const trace::Sites sites = {{.width = width, .offset = rng.between(-8, 8) * width},
                              {.space = Space::kShared, .width = width},
                              {.space = Space::kLocal, .width = width},
                              {.kind = Kind::kReduction, .width = 4, .floating = true}};
  PatternTable table(sites, shapes);
  for (int round = 0; round < 50; ++round) {
    const auto site = static_cast<uint32_t>(rng.between(0, 3));
    const Lanes lanes = any_lanes(rng, sites[site].width);
    Shape shape{lanes.mask, {}};
    for (size_t lane = 0; lane < kLanes; ++lane) {
      shape.offset[lane] = static_cast<int32_t>(lanes.address[lane] - lanes.address[0]);
    }
    const uint32_t id = shapes.intern(shape).value();
    for (int move = 0; move < 5; ++move) {
      const uint64_t address = static_cast<uint64_t>(rng.between(1000, 1 << 20)) * 16;
      const Request fast = table.find(site, id, address);
      const Lanes where = table.lanes_of(site, id, address);
      const Pattern slow = pattern_of(sites[site], where, 0);
      EXPECT_EQ(fast.pattern->cost, slow.cost);
      ASSERT_EQ(fast.pattern->lines.size(), slow.lines.size());
      for (size_t i = 0; i < slow.lines.size(); ++i) {
        EXPECT_EQ(fast.base_line + static_cast<uint64_t>(int64_t{fast.pattern->lines[i].delta}),
                  static_cast<uint64_t>(int64_t{slow.lines[i].delta}));
        EXPECT_EQ(fast.pattern->lines[i].sectors, slow.lines[i].sectors);
        EXPECT_EQ(fast.pattern->lines[i].partial, slow.lines[i].partial);
      }
    }
  }
}

LAW(Patterns, TagWavefrontsAreThoseOfTheLinesWhereverTheRequestLies) {
  const Site site{.width = 4};
  const Lanes lanes = any_lanes(rng, 4);
  const auto base = static_cast<uint64_t>(rng.between(0, 1 << 20));
  Pattern pattern = pattern_of(site, lanes, base);
  const auto move = static_cast<uint64_t>(rng.between(0, 1 << 20));
  std::vector<LineTouch> lines = lines_of(lanes);
  for (LineTouch& touch : lines) touch.line += move;
  EXPECT_EQ(tag_wavefronts(Request{&pattern, base + move}),
            tag_wavefronts(lines, [](const LineTouch& touch) { return touch.line; }));
}

TEST(Patterns, AnAccessThatPtxasMergedTouchesNoLine) {
  Lanes lanes{0xFFFFFFFF, 4, {}};
  const Pattern pattern = pattern_of({.space = Space::kNone}, lanes, 0);
  EXPECT_EQ(pattern.action, Action::kNone);
  EXPECT_EQ(pattern.cost.sectors, 0u);
}

LAW(Patterns, TripsOfAWindowCostOneWideAccess) {
  trace::ShapeTable shapes;
  const uint32_t wide = rng.between(0, 1) ? 16 : 8;
  const trace::Sites sites = {
      {.space = Space::kShared, .width = static_cast<uint8_t>(wide), .serves_window = true}};
  Shape shape{static_cast<uint32_t>(rng.between(1, 0xFFFFFFFF)), {}};
  for (size_t lane = 0; lane < kLanes; ++lane)
    shape.offset[lane] = static_cast<int32_t>(rng.between(0, 100) * wide);
  const uint32_t id = shapes.intern(shape).value();
  PatternTable table(sites, shapes);
  const uint64_t base = static_cast<uint64_t>(rng.between(0, 1000)) * wide;
  for (uint64_t at = base; at < base + wide; at += 4) table.find(0, id, at);
  std::vector<SiteCounters> counters(1);
  table.add_to(counters);
  const Site once{.space = Space::kShared, .width = static_cast<uint8_t>(wide)};
  EXPECT_EQ(counters[0].request, pattern_of(once, table.lanes_of(0, id, base), 0).cost);
}

TEST(Patterns, CountsAreSummedPerSiteHoweverTheyWereFound) {
  trace::ShapeTable shapes;
  const trace::Sites sites(1);
  PatternTable table(sites, shapes);
  Shape unit{0xFFFFFFFF, {}};
  for (size_t lane = 0; lane < kLanes; ++lane) unit.offset[lane] = static_cast<int32_t>(4 * lane);
  const uint32_t id = shapes.intern(unit).value();
  table.find(0, id, 0x1000);
  table.find(0, id, 0x1004);
  table.find(0, trace::kNoLanes, 0);
  table.uncached(0, table.lanes_of(0, id, 0x2000));
  std::vector<SiteCounters> counters(1);
  table.add_to(counters);
  const RequestCounters& total = counters[0].request;
  EXPECT_EQ(total.instructions, 4u);
  EXPECT_EQ(total.requests, 3u);
  EXPECT_EQ(total.sectors, 13u);
  EXPECT_EQ(total.ideal_sectors, 12u);
  EXPECT_EQ(total.tags, 4u);
}

TEST(Patterns, AFloatReductionIsServedLaneByLane) {
  Lanes lanes{0xFFFFFFFF, 4, {}};
  lanes.address.fill(0x1000);
  Site site{.kind = Kind::kReduction, .floating = true};
  const Pattern floats = pattern_of(site, lanes, 0);
  EXPECT_EQ(floats.cost.sectors, 32u);
  EXPECT_EQ(floats.cost.theoretical_sectors, 1u);
  EXPECT_EQ(floats.cost.tags, 1u);
  site.floating = false;
  EXPECT_EQ(pattern_of(site, lanes, 0).cost.sectors, 1u);
}

TEST(Patterns, TheSharedSideOfAnAsyncCopyIsNoInstructionOfItsOwn) {
  Lanes lanes{0xFFFFFFFF, 16, {}};
  for (size_t lane = 0; lane < kLanes; ++lane) lanes.address[lane] = 16 * lane;
  Site site{.kind = Kind::kAsyncCopy, .width = 16};
  EXPECT_EQ(pattern_of(site, lanes, 0).cost.instructions, 1u);
  site.space = Space::kShared;
  EXPECT_EQ(pattern_of(site, lanes, 0).cost.instructions, 0u);
  EXPECT_EQ(pattern_of(site, lanes, 0).cost.data_wavefronts, 4u);
}

}  // namespace
}  // namespace warpledger::memory
