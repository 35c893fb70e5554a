#include "warpledger/memory/hierarchy.h"

#include <gmock/gmock.h>

#include "tests/unit/memory/oracle.h"

namespace warpledger::memory {
namespace {

using trace::CacheOperator;
using trace::Kind;
using trace::Record;
using trace::Space;

/// One SM, one CTA of one warp.
struct Machine {
  explicit Machine(trace::Sites list, uint32_t sms = 1) : sites(std::move(list)) {
    launch.block = {64, 1, 1};
    launch.sites = &sites;
    launch.shapes = &shapes;
    config.sms = sms;
    config.l1_bytes = 64 * 1024;
    config.l2.bytes = 1 << 20;
    hierarchy.emplace(config, launch);
  }
  uint32_t stride(int32_t bytes) {
    trace::Shape shape{0xFFFFFFFF, {}};
    for (size_t lane = 0; lane < kLanes; ++lane) {
      shape.offset[lane] = bytes * static_cast<int32_t>(lane);
    }
    return shapes.intern(shape).value();
  }
  void access(uint32_t site, uint64_t address, int32_t bytes = 4, uint32_t sm = 0,
              uint32_t warp = 0) {
    const Record record{address, stride(bytes), site};
    hierarchy->access(sm, warp, &record);
  }
  trace::Sites sites;
  trace::ShapeTable shapes;
  trace::Launch launch;
  Config config;
  std::optional<Hierarchy> hierarchy;
};

TEST(Hierarchy, ALoadMissesThenHitsInItsOwnSmOnly) {
  Machine m(trace::Sites(1), 2);
  m.access(0, 0x10000);
  m.access(0, 0x10000);
  m.access(0, 0x10000, 4, 1);
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].l1_hit_sectors, 4u);
  EXPECT_EQ(counters.sites[0].l2_sectors, 8u);
  EXPECT_EQ(counters.sites[0].l2_hit_sectors, 4u);
  EXPECT_EQ(counters.dram.read_sectors, 4u);
}

TEST(Hierarchy, CacheGlobalAndVolatileLoadsNeverHitTheL1) {
  for (const CacheOperator cache : {CacheOperator::kGlobal, CacheOperator::kVolatile}) {
    Machine m({{.cache = cache}});
    m.access(0, 0x10000);
    m.access(0, 0x10000);
    EXPECT_EQ(m.hierarchy->finish().sites[0].l1_hit_sectors, 0u);
  }
}

TEST(Hierarchy, StoresOfOneWarpToTheSameSectorsLeaveAsOne) {
  Machine m({{.kind = Kind::kStore}});
  for (uint64_t word = 0; word < 4; ++word) m.access(0, 0x10000 + 4 * word, 16);
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].request.sectors, 64u);
  EXPECT_EQ(counters.sites[0].l2_sectors, 16u);
  EXPECT_EQ(counters.sites[0].l2_partial_requests, 0u);
  EXPECT_EQ(counters.sites[0].l1_hit_sectors, 48u);  // the tag is there from the second on
}

TEST(Hierarchy, OnlyTheFirstHalfOfA64BitStoreWaitsForTheNext) {
  // 24 B per lane, as rtxa2000_add_const_double3_strided: 12.02 requests, 48.1 sectors per warp.
  Machine m({{.kind = Kind::kStore, .width = 8}});
  for (uint64_t part = 0; part < 3; ++part) m.access(0, 0x18000 + 8 * part, 24);
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].request.sectors, 72u);
  EXPECT_EQ(counters.sites[0].l2_requests, 12u);
  EXPECT_EQ(counters.sites[0].l2_sectors, 48u);
  EXPECT_EQ(counters.sites[0].l2_partial_requests, 9u);
}

TEST(Hierarchy, ALoadInBetweenKeepsStoresApart) {
  Machine m({{.kind = Kind::kStore}, {}});
  for (uint64_t word = 0; word < 4; ++word) {
    m.access(0, 0x10000 + 4 * word, 16);
    m.access(1, 0x20000);
  }
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].l2_sectors, 64u);
  EXPECT_EQ(counters.sites[0].l2_partial_requests, 16u);
}

TEST(Hierarchy, AFloatReductionToOneAddressSends32Requests) {
  Machine m({{.kind = Kind::kReduction, .floating = true}});
  m.access(0, 0x10000, 0);
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].l2_requests, 32u);
  EXPECT_EQ(counters.sites[0].tag_wavefronts, 32u);
  EXPECT_EQ(counters.l2.atomic_hits, 31u);
}

TEST(Hierarchy, LocalWindowsOfTwoWarpsAreApart) {
  Machine m({{.space = Space::kLocal, .kind = Kind::kStore}, {.space = Space::kLocal}});
  m.access(0, 8, 0, 0, 0);
  m.access(1, 8, 0, 0, 1);
  m.access(1, 8, 0, 0, 0);
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].request.sectors, 4u);
  EXPECT_EQ(counters.sites[1].l1_hit_sectors, 4u);
}

TEST(Hierarchy, SharedAccessesStayInTheSm) {
  Machine m({{.space = Space::kShared}});
  m.access(0, 0, 8);
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].request.data_wavefronts, 2u);
  EXPECT_EQ(counters.l2.lookups(), 0u);
}

TEST(Hierarchy, ABulkCopyReadsItsSectorsPastTheL1) {
  Machine m({{.kind = Kind::kBulkCopy, .width = 16}});
  const std::array<Record, 2> record = {Record{0x10020, trace::kBulk, 0}, Record{256, 0, 0}};
  m.hierarchy->access(0, 0, record.data());
  const Counters counters = m.hierarchy->finish();
  EXPECT_EQ(counters.sites[0].l2_sectors, 8u);
  EXPECT_EQ(counters.sites[0].l2_requests, 3u);
  EXPECT_EQ(counters.sites[0].request.sectors, 0u);
}

LAW(Hierarchy, AGroupAndItsMembersOneByOneAreTheSame) {
  const int64_t step = rng.between(0, 64) * 4;
  const trace::Sites apart = {{}, {.offset = step}, {.offset = 2 * step}};
  trace::Sites together = apart;
  together[0].group = 3;
  Machine a(apart), b(together);
  for (int i = 0; i < rng.size(); ++i) {
    const uint64_t address = 0x10000 + static_cast<uint64_t>(rng.between(0, 4096)) * 4;
    const auto stride = static_cast<int32_t>(4 * rng.between(0, 8));
    for (uint32_t site = 0; site < 3; ++site) a.access(site, address, stride);
    b.access(0, address, stride);
  }
  EXPECT_EQ(a.hierarchy->finish(), b.hierarchy->finish());
}

LAW(Hierarchy, RawAndRegularRecordsAreTheSame) {
  Machine regular(trace::Sites(1)), raw(trace::Sites(1));
  for (int i = 0; i < rng.size(); ++i) {
    const Lanes lanes = any_lanes(rng, 4);
    if (!lanes.mask) continue;
    trace::Shape shape{lanes.mask, {}};
    for (size_t lane = 0; lane < kLanes; ++lane) {
      shape.offset[lane] = static_cast<int32_t>(lanes.address[lane] - lanes.address[0]);
    }
    const Record record{lanes.address[0], regular.shapes.intern(shape).value(), 0};
    regular.hierarchy->access(0, 0, &record);
    trace::Buffer buffer;
    buffer.push_raw(lanes.mask, 0, lanes.address);
    raw.hierarchy->access(0, 0, buffer.held().data());
  }
  EXPECT_EQ(regular.hierarchy->finish(), raw.hierarchy->finish());
}

LAW(Hierarchy, SectorsReconcileFromLevelToLevel) {
  Machine m({{}, {.kind = Kind::kStore}});
  for (int i = 0; i < 10 * rng.size(); ++i) {
    m.access(rng.coin(), 0x10000 + static_cast<uint64_t>(rng.between(0, 1 << 18)) * 4,
             static_cast<int32_t>(4 * rng.between(0, 40)));
  }
  const Counters c = m.hierarchy->finish();
  EXPECT_EQ(c.sites[0].request.sectors, c.sites[0].l1_hit_sectors + c.sites[0].l2_sectors);
  EXPECT_EQ(c.l2.read_sectors, c.sites[0].l2_sectors);
  EXPECT_EQ(c.l2.write_sectors, c.sites[1].l2_sectors);
  EXPECT_EQ(c.dram.read_sectors, c.l2.read_sectors - c.l2.read_hits);
}

TEST(Configure, SubtractsTheCarveOutFromTheUnifiedSize) {
  const Config config = configure(find_gpu("rtx3090").value(), 6, 8192).value();
  EXPECT_EQ(config.sms, 82u);
  EXPECT_EQ(config.l1_bytes, 120u * 1024);
  EXPECT_EQ(config.l2.bytes, 6291456u);
  EXPECT_EQ(config.l2.fabric, Fabric::kNone);
}

TEST(Configure, TakesOccupancyAndCarveOutFromTheLaunch) {
  const Launch launch{.grid = {188, 250, 1}, .block = {16, 16, 1}, .registers_per_thread = 30};
  const Config config = configure(find_gpu("rtx3090").value(), launch).value();
  EXPECT_EQ(config.ctas_per_sm, 6u);
  EXPECT_EQ(config.l1_bytes, 120u * 1024);
}

TEST(Configure, NamesTheFactThatIsMissing) {
  Gpu gpu = find_gpu("rtx3090").value();
  gpu.l2.bytes.reset();
  const Result<Config> config = configure(gpu, 1, 8192);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message, ::testing::HasSubstr("l2.bytes"));
}

}  // namespace
}  // namespace warpledger::memory
