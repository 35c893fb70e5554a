// Texture fetches through the L1: the oracle is a set of distinct sectors.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/memory/oracle.h"
#include "warpledger/memory/hierarchy.h"

namespace warpledger::memory {
namespace {

using trace::Space;
using trace::TexelCount;

/// A fetch of one site.
struct Fetch {
  TexelCount count;
  std::vector<uint64_t> addresses;

  [[nodiscard]] Pattern pattern() const {
    trace::Buffer buffer;
    buffer.push_texels(count, 0, addresses);
    return texel_pattern_of(buffer.held().data(), 0);
  }
};

Fetch any_fetch(Rng& rng) {
  Fetch made;
  made.count.mask = static_cast<uint32_t>(rng.bits()) | 1;
  made.count.width = static_cast<uint8_t>(1 << rng.between(0, 4));
  const int64_t texels = rng.between(0, 8 * rng.size());
  for (int64_t i = 0; i < std::min<int64_t>(texels, 512); ++i)
    made.addresses.push_back(static_cast<uint64_t>(rng.between(0, 1 << 12)) * made.count.width);
  made.count.texels = static_cast<uint16_t>(made.addresses.size());
  return made;
}

std::set<uint64_t> sectors_of(const Fetch& fetch) {
  std::set<uint64_t> sectors;
  for (const uint64_t address : fetch.addresses)
    for (uint64_t byte = 0; byte < fetch.count.width; ++byte) sectors.insert((address + byte) / 32);
  return sectors;
}

std::set<uint64_t> sectors_of(const Pattern& pattern) {
  std::set<uint64_t> sectors;
  for (const PatternLine& line : pattern.lines)
    for (uint64_t i = 0; i < 4; ++i)
      if (line.sectors >> i & 1) sectors.insert(static_cast<uint64_t>(line.delta) * 4 + i);
  return sectors;
}

LAW(Texels, TheSectorsAreThoseThatTheTexelsTouch) {
  const Fetch fetch = any_fetch(rng);
  const Pattern pattern = fetch.pattern();
  EXPECT_EQ(sectors_of(pattern), sectors_of(fetch));
  EXPECT_EQ(pattern.cost.sectors, sectors_of(fetch).size());
  EXPECT_EQ(pattern.cost.requests, 1u);
  EXPECT_LE(pattern.cost.sectors, fetch.addresses.size());
  EXPECT_LE(pattern.cost.sectors, 4 * pattern.cost.tags);
  EXPECT_LE(pattern.cost.ideal_sectors, pattern.cost.sectors);
}

LAW(Texels, ATexelOnTheBorderOfTwoSectorsTouchesBoth) {
  Fetch fetch = any_fetch(rng);
  for (uint64_t& address : fetch.addresses) address += 1;
  EXPECT_EQ(sectors_of(fetch.pattern()), sectors_of(fetch));
}

TEST(Texels, LanesThatReadOneTexelTouchOneSector) {
  const Fetch fetch{{.mask = 0xFFFFFFFF, .width = 4, .texels = 32},
                    std::vector<uint64_t>(32, 0x1004)};
  EXPECT_EQ(fetch.pattern().cost.sectors, 1u);
}

TEST(Texels, LanesOutsideOfTheTextureAskForNothing) {
  const Fetch fetch{{.mask = 0xFFFFFFFF, .width = 4}, {}};
  const Pattern pattern = fetch.pattern();
  EXPECT_EQ(pattern.cost.requests, 1u);
  EXPECT_EQ(pattern.cost.sectors, 0u);
  EXPECT_EQ(pattern.action, Action::kNone);
}

TEST(Texels, LanesWithAnotherHandleAreARequestAndNoInstruction) {
  const Fetch fetch{{.mask = 2, .width = 4, .texels = 1, .is_continued = true}, {64}};
  EXPECT_EQ(fetch.pattern().cost.requests, 1u);
  EXPECT_EQ(fetch.pattern().cost.instructions, 0u);
}

struct Machine {
  explicit Machine(trace::Site site) : sites{site} {
    launch.block = {32, 1, 1};
    launch.sites = &sites;
    launch.shapes = &shapes;
    config.l1_bytes = 64 * 1024;
    config.l2.bytes = 1 << 20;
    hierarchy.emplace(config, launch);
  }
  trace::Sites sites;
  trace::ShapeTable shapes;
  trace::Launch launch;
  Config config;
  std::optional<Hierarchy> hierarchy;
};

// A linear texture read a texel a lane is the same to the caches as ld.global.
LAW(Texels, ATexelALaneIsTheSameAsALoad) {
  Machine texture({.space = Space::kTexture, .width = 1}), load({.width = 4});
  for (int i = 0; i < rng.size(); ++i) {
    const Lanes lanes = any_lanes(rng, 4);
    if (!lanes.mask) continue;
    Fetch fetch{{.mask = lanes.mask, .width = 4}, {}};
    for (size_t lane = 0; lane < kLanes; ++lane)
      if (lanes.mask >> lane & 1) fetch.addresses.push_back(lanes.address[lane]);
    fetch.count.texels = static_cast<uint16_t>(fetch.addresses.size());
    trace::Buffer texels, raw;
    texels.push_texels(fetch.count, 0, fetch.addresses);
    raw.push_raw(lanes.mask, 0, lanes.address);
    texture.hierarchy->access(0, 0, texels.held().data());
    load.hierarchy->access(0, 0, raw.held().data());
  }
  Counters a = texture.hierarchy->finish(), b = load.hierarchy->finish();
  EXPECT_EQ(a.sites[0].request.lanes, 4 * b.sites[0].request.lanes);  // bytes
  for (Counters* counters : {&a, &b}) {
    RequestCounters& request = counters->sites[0].request;
    request.lanes = request.data_wavefronts = request.ideal_wavefronts = request.words = 0;
  }
  EXPECT_EQ(a, b);
}

LAW(Texels, SectorsReconcileFromLevelToLevel) {
  Machine m({.space = Space::kTexture, .width = 1});
  uint64_t sectors = 0;
  for (int i = 0; i < 8; ++i) {
    const Fetch fetch = any_fetch(rng);
    sectors += sectors_of(fetch).size();
    trace::Buffer buffer;
    buffer.push_texels(fetch.count, 0, fetch.addresses);
    m.hierarchy->access(0, 0, buffer.held().data());
  }
  const Counters c = m.hierarchy->finish();
  EXPECT_EQ(c.sites[0].request.sectors, sectors);
  EXPECT_EQ(c.sites[0].request.sectors, c.sites[0].l1_hit_sectors + c.sites[0].l2_sectors);
  EXPECT_EQ(c.l2.read_sectors, c.sites[0].l2_sectors);
  EXPECT_EQ(c.dram.read_sectors, c.l2.read_sectors - c.l2.read_hits);
}

}  // namespace
}  // namespace warpledger::memory
