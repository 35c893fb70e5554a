#include "warpledger/memory/cache_tracer.h"

#include <gmock/gmock.h>

#include <bit>

#include "tests/support/law.h"
#include "tests/unit/memory/synthetic.h"
#include "warpledger/memory/replay.h"

namespace warpledger::memory {
namespace {

using warpledger::testing::Rng;

constexpr size_t kAll = 1 << 20;

Config small_gpu(uint32_t sms, Fabric fabric = Fabric::kNone) {
  Config config;
  config.sms = sms;
  config.ctas_per_sm = 2;
  config.l1_bytes = 8 * 1024;
  config.l2.bytes = 64 * 1024;
  config.l2.fabric = fabric;
  return config;
}

/// Loads, stores in part and whole, over more lines than fit.
std::unique_ptr<Synthetic> any_kernel(Rng& rng) {
  const auto grid = static_cast<uint32_t>(rng.between(1, 6));
  auto kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{grid, 1, 1},
                                            std::array<uint32_t, 3>{64, 1, 1});
  const int64_t a = kernel->array(1 << 20), c = kernel->array(1 << 20);
  const uint32_t load = kernel->load(), store = kernel->store();
  const int64_t pitch = rng.between(1, 64) * 4, width = rng.between(1, 8);
  kernel->run_body(static_cast<uint32_t>(rng.between(1, 40)),
                   [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
                     e.at(load, [&](int64_t t) { return a + (step * pitch + t * width) * 4; });
                     e.use();
                     e.at(store, [&](int64_t t) { return c + (cta.x * 64 + step % 3 + t) * 4; });
                     e.at(store, [&](int64_t t) { return c + (step * 32 + t * 2) * 4; });
                   });
  return kernel;
}

LAW_ROUNDS(CacheTracer, ATracedReplayCountsTheSame, 30) {
  const auto kernel = any_kernel(rng);
  const Config config = small_gpu(3, rng.coin() ? Fabric::kGa100 : Fabric::kNone);
  const Counters plain = replay(*kernel, config).value();
  CacheTracer tracer(1, {true, true}, kAll);
  EXPECT_EQ(replay(*kernel, config, {}, ReplayOptions{.tracer = &tracer}).value(), plain);
}

LAW_ROUNDS(CacheTracer, LookUpsAddUpToTheCountersOfTheSites, 30) {
  const auto kernel = any_kernel(rng);
  CacheTracer tracer(0, {true, true}, kAll);
  const Counters all = replay(*kernel, small_gpu(1), {}, ReplayOptions{.tracer = &tracer}).value();
  std::vector<uint64_t> sectors(2), hits(2), l2_hits(2);
  for (const CacheAccess& access : tracer.take()) {
    sectors[access.site] += sector_count(access.sectors);
    hits[access.site] += sector_count(access.l1_hit);
    if (access.action != Action::kLoad || access.l2.empty()) continue;
    const int missed = access.sectors & ~access.l1_hit;
    l2_hits[access.site] += sector_count(static_cast<uint8_t>(access.l2[0].valid & missed));
  }
  for (size_t site = 0; site < 2; ++site) {
    EXPECT_EQ(sectors[site], all.sites[site].request.sectors);
    EXPECT_EQ(hits[site], all.sites[site].l1_hit_sectors);
  }
  EXPECT_EQ(l2_hits[0], all.sites[0].l2_hit_sectors);
}

LAW_ROUNDS(CacheTracer, EveryMissAndStoreFindsItsRequestToTheL2, 30) {
  const auto kernel = any_kernel(rng);
  CacheTracer tracer(0, {true, true}, kAll);
  (void)replay(*kernel, small_gpu(2), {}, ReplayOptions{.tracer = &tracer}).value();
  for (const CacheAccess& access : tracer.take()) {
    const bool sends = access.action == Action::kStore || access.l1_hit != access.sectors;
    EXPECT_EQ(access.sent.has_value(), sends);
    EXPECT_EQ(!access.l2.empty(), sends);
  }
}

LAW_ROUNDS(CacheTracer, ThreadsChangeNothing, 10) {
  const auto kernel = any_kernel(rng);
  CacheTracer one(1, {true, true}, 50), two(1, {true, true}, 50);
  (void)replay(*kernel, small_gpu(4), {}, ReplayOptions{.threads = 1, .tracer = &one}).value();
  (void)replay(*kernel, small_gpu(4), {}, ReplayOptions{.threads = 2, .tracer = &two}).value();
  const std::vector<CacheAccess> a = one.take(), b = two.take();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].address, b[i].address);
    EXPECT_EQ(a[i].l1, b[i].l1);
    EXPECT_EQ(a[i].l2, b[i].l2);
  }
}

TEST(CacheTracer, AFullSetNamesItsOldestLineAsVictim) {
  L1 l1(4 * 128 * 2);  // two lines a bank
  std::vector<uint32_t> same_set;
  for (uint32_t line = 0; same_set.size() < 3; ++line) {
    if (l1.look(line).set == l1.look(0).set) same_set.push_back(line);
  }
  l1.load(same_set[0], 1);
  l1.load(same_set[1], 1);
  l1.load(same_set[0], 1);
  const Look look = l1.look(same_set[2]);
  EXPECT_FALSE(look.is_there);
  EXPECT_EQ(look.victim, same_set[1]);
  EXPECT_EQ(l1.look(same_set[0]).valid, 1);
}

}  // namespace
}  // namespace warpledger::memory
