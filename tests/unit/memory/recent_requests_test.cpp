#include "warpledger/memory/recent_requests.h"

#include <gmock/gmock.h>

#include "tests/unit/memory/oracle.h"
#include "warpledger/memory/sm_group.h"

namespace warpledger::memory {
namespace {

using trace::CacheOperator;
using trace::Kind;
using trace::Record;
using trace::Space;

trace::Sites any_sites(Rng& rng) {
  const auto width = static_cast<uint8_t>(4 << rng.between(0, 2));
  return {trace::Site{.width = width},
          trace::Site{.width = width, .offset = rng.between(-100, 100) * width},
          trace::Site{.space = Space::kShared, .width = width},
          trace::Site{.kind = Kind::kStore, .width = width},
          trace::Site{.cache = CacheOperator::kGlobal, .width = width},
          trace::Site{.cache = CacheOperator::kStream, .width = width},
          trace::Site{.space = Space::kLocal, .width = width},
          trace::Site{.space = Space::kLocal, .kind = Kind::kStore, .width = width},
          trace::Site{.kind = Kind::kReduction, .width = 4, .floating = true},
          trace::Site{.width = width, .group = 2},
          trace::Site{.width = width, .offset = 256},
          trace::Site{.kind = Kind::kAsyncCopy, .width = width},
          trace::Site{.space = Space::kShared, .kind = Kind::kAsyncCopy, .width = width}};
}

/// Records of a few shapes that come again and again, with a raw one here and there.
class Stream {
 public:
  explicit Stream(Rng& rng) : rng_(rng), sites_(any_sites(rng)) {
    launch_.block = {64, 1, 1};
    launch_.sites = &sites_;
    launch_.shapes = &shapes_;
    for (int i = 0; i < 12; ++i) {
      const Lanes lanes = any_lanes(rng, 16);
      trace::Shape shape{lanes.mask, {}};
      for (size_t lane = 0; lane < kLanes; ++lane)
        shape.offset[lane] = static_cast<int32_t>(lanes.address[lane] - lanes.address[0]);
      ids_.push_back(shapes_.intern(shape).value());
    }
  }
  [[nodiscard]] const trace::Launch& launch() const { return launch_; }
  std::vector<Record> some() {
    trace::Buffer buffer;
    for (int64_t left = rng_.between(0, 20); left > 0; --left) push(buffer);
    return {buffer.held().begin(), buffer.held().end()};
  }

 private:
  void push(trace::Buffer& buffer) {
    auto site = static_cast<uint32_t>(rng_.between(0, 12));
    const uint64_t address = 1 << 20 | static_cast<uint64_t>(rng_.between(0, 1 << 12)) * 16;
    const uint32_t shape = ids_[static_cast<size_t>(rng_.between(0, 11))];
    if (rng_.between(0, 20) == 0) return buffer.push_raw(1, 0, {address});
    if (site >= 11) buffer.push({address, shape, 11}), site = 12;
    buffer.push({address, shape, site == 10 ? 9 : site});
  }

  Rng& rng_;
  trace::Sites sites_;
  trace::ShapeTable shapes_;
  trace::Launch launch_;
  std::vector<uint32_t> ids_;
};

bool operator==(const L2Request& a, const L2Request& b) {
  return a.line == b.line && a.site == b.site && a.operation == b.operation &&
         a.sectors == b.sectors && a.partial == b.partial && a.bytes == b.bytes;
}

void expect_same(SmGroup& one, SmGroup& other, size_t sites) {
  std::vector<SiteCounters> left(sites), right(sites);
  one.add_to(left);
  other.add_to(right);
  EXPECT_EQ(left, right);
  EXPECT_EQ(one.accesses(), other.accesses());
  EXPECT_EQ(one.lookups(), other.lookups());
  const auto sent = one.queue(0).requests(), wanted = other.queue(0).requests();
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), wanted.begin(), wanted.end(),
                         [](const auto& a, const auto& b) { return a == b; }));
}

/// Most keys of 13 sites, 12 shapes and 8 places are kept; some make room for others.
LAW(RecentRequests, ABatchIsItsAccessesOneByOne) {
  Stream stream(rng);
  SmGroup quick(stream.launch(), 16 * 1024, 2, 0, 1), plain(stream.launch(), 16 * 1024, 2, 0, 1);
  const int64_t counted = rng.coin() ? rng.between(0, 300) : 300;
  for (int batch = 0; batch < 300; ++batch) {
    if (batch == counted) {
      for (SmGroup* group : {&quick, &plain}) group->settle_all(0), group->count_only();
    }
    const auto warp = static_cast<uint32_t>(rng.between(0, 1));
    std::vector<Record> records = stream.some();
    for (size_t at = 0; at < records.size(); at += slots_of(records[at]))
      plain.access(0, warp, &records[at]);
    records.push_back(trace::mark(trace::Mark::kUse));
    const Record* const end = records.data() + records.size();
    EXPECT_EQ(quick.take(0, warp, records.data(), end), end - 1);
    if (rng.coin()) quick.settle(0, warp), plain.settle(0, warp);
  }
  expect_same(quick, plain, stream.launch().sites->size());
}

TEST(RecentRequests, WhatMakesRoomIsStillCounted) {
  constexpr uint32_t kSites = 3000;  // times 16 places in a line: more than are kept
  const trace::Sites sites(kSites);
  trace::ShapeTable shapes;
  trace::Launch launch{.sites = &sites, .shapes = &shapes};
  const uint32_t shape = shapes.intern({.mask = 1, .offset = {}}).value();
  SmGroup group(launch, 16 * 1024, 1, 0, 1);
  for (int round = 0; round < 4; ++round) {
    for (uint32_t i = 0; i < kSites * 16; ++i) {
      const Record record{i % 16 * 4, shape, i / 16};
      group.take(0, 0, &record, &record + 1);
    }
  }
  std::vector<SiteCounters> counters(kSites);
  group.add_to(counters);
  for (const SiteCounters& site : counters) {
    EXPECT_EQ(site.request.sectors, 64u);
    EXPECT_EQ(site.tag_wavefronts, 64u);
  }
}

}  // namespace
}  // namespace warpledger::memory
