#include "warpledger/memory/replay.h"

#include <gmock/gmock.h>

#include "tests/support/law.h"
#include "tests/unit/memory/synthetic.h"
#include "warpledger/memory/request_counter.h"

namespace warpledger::memory {
namespace {

using warpledger::testing::Rng;

Config small_gpu(uint32_t sms, uint32_t ctas_per_sm) {
  Config config;
  config.sms = sms;
  config.ctas_per_sm = ctas_per_sm;
  config.l1_bytes = 16 * 1024;
  config.l2.bytes = 128 * 1024;
  return config;
}

/// A tiled kernel with barriers, of random size.
std::unique_ptr<Synthetic> any_kernel(Rng& rng) {
  const auto grid = static_cast<uint32_t>(rng.between(1, 5)),
             warps = static_cast<uint32_t>(rng.between(1, 4));
  auto kernel = std::make_unique<Synthetic>(std::array<uint32_t, 3>{grid, grid, 1},
                                            std::array<uint32_t, 3>{32 * warps, 1, 1});
  const int64_t a = kernel->array(1 << 20), b = kernel->array(1 << 20), c = kernel->array(1 << 20);
  const uint32_t la = kernel->load(), lb = kernel->load(), st = kernel->store();
  const int64_t pitch = rng.between(1, 64) * 32, loads = rng.between(1, 4);
  kernel->run_body(static_cast<uint32_t>(rng.between(1, 20)),
                   [=](Emitter& e, const Cta& cta, uint32_t, uint32_t step) {
                     for (int64_t i = 0; i < loads; ++i) {
                       e.at(la, [&](int64_t t) { return a + (cta.y * pitch + step + t * i) * 4; });
                       e.at(lb, [&](int64_t t) { return b + (step * pitch + cta.x * 32 + t) * 4; });
                     }
                     e.use();
                     e.at(st, [&](int64_t t) { return c + (cta.y * pitch + cta.x * 64 + t) * 4; });
                     e.barrier();
                   });
  return kernel;
}

/// Gives records out in a rhythm of its own.
class Rhythm : public trace::Producer {
 public:
  Rhythm(trace::Producer& inner, Rng& rng) : inner_(inner), rng_(rng) {}
  [[nodiscard]] const trace::Launch& launch() const override { return inner_.launch(); }
  void set_slots(uint32_t slots) override { inner_.set_slots(slots); }
  void start(uint32_t slot, uint64_t cta) override { inner_.start(slot, cta); }
  Result<trace::Progress> run(uint32_t slot, uint32_t) override {
    return inner_.run(slot, static_cast<uint32_t>(rng_.between(1, 300)));
  }
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return inner_.buffers(slot);
  }

 private:
  trace::Producer& inner_;
  Rng& rng_;
};

LAW_ROUNDS(Replay, TheEnginesRhythmChangesNothing, 30) {
  const auto kernel = any_kernel(rng);
  const Config config =
      small_gpu(static_cast<uint32_t>(rng.between(1, 4)), static_cast<uint32_t>(rng.between(1, 3)));
  const Counters once = replay(*kernel, config).value();
  Rhythm rhythm(*kernel, rng);
  EXPECT_EQ(replay(rhythm, config).value(), once);
}

LAW_ROUNDS(Replay, WhatFollowsFromAddressesDoesNotDependOnOrder, 30) {
  const auto kernel = any_kernel(rng);
  const Counters a = replay(*kernel, small_gpu(1, 1)).value();
  const Counters b =
      replay(*kernel, small_gpu(3, 2), {.bias = 0.4, .drift = 0.2, .seed = 7}).value();
  for (size_t site = 0; site < a.sites.size(); ++site) {
    EXPECT_EQ(a.sites[site].request, b.sites[site].request);
    EXPECT_EQ(a.sites[site].tag_wavefronts, b.sites[site].tag_wavefronts);
  }
}

LAW_ROUNDS(Replay, LookingOnChangesNothing, 20) {
  const auto kernel = any_kernel(rng);
  const Config config = small_gpu(static_cast<uint32_t>(rng.between(1, 4)), 2);
  const uint64_t ctas = kernel->launch().ctas();
  const auto middle = static_cast<uint64_t>(rng.between(0, static_cast<int64_t>(ctas)));
  uint64_t looked = 0, requests = 0;
  const Observer observer = [&](View& view) {
    ++looked;
    uint64_t now = 0;
    for (const SiteCounters& site : view.counters().sites) now += site.request.requests;
    EXPECT_GE(now, requests);
    requests = now;
  };
  const ReplayOptions how{.itinerary = {{0, middle}, {middle, ctas}},
                          .observer = observer,
                          .epoch_visits = static_cast<uint32_t>(rng.between(1, 9))};
  EXPECT_EQ(replay(*kernel, config, {}, how).value(), replay(*kernel, config).value());
  EXPECT_GT(looked, 0u);
}

LAW_ROUNDS(Replay, WhatIsOnlyCountedIsCountedAsOnTheWholeWay, 30) {
  const auto kernel = any_kernel(rng);
  const Config config = small_gpu(static_cast<uint32_t>(rng.between(1, 4)), 2);
  const Counters whole = replay(*kernel, config).value();
  const auto stop = static_cast<uint64_t>(rng.between(0, 200));
  Counters at_stop;
  uint64_t taken = 0;
  const Observer observer = [&](View& view) {
    taken = view.accesses();
    if (taken < stop || !at_stop.sites.empty()) return;
    view.count_only();
    at_stop = view.counters();
  };
  const ReplayOptions how{.observer = observer,
                          .epoch_visits = static_cast<uint32_t>(rng.between(1, 9))};
  const Counters begun = replay(*kernel, config, {}, how).value();
  uint64_t requests = 0;
  for (size_t i = 0; i < whole.sites.size(); ++i) {
    EXPECT_EQ(begun.sites[i].request, whole.sites[i].request);
    EXPECT_EQ(begun.sites[i].tag_wavefronts, whole.sites[i].tag_wavefronts);
    requests += whole.sites[i].request.requests;
  }
  EXPECT_EQ(taken, requests);
  if (at_stop.sites.empty()) return;
  EXPECT_EQ(begun.l2, at_stop.l2);
  EXPECT_EQ(begun.dram.read_sectors, at_stop.dram.read_sectors);
}

LAW_ROUNDS(Replay, AnItineraryRunsItsCtasAndNoOthers, 20) {
  const auto kernel = any_kernel(rng);
  const Config config = small_gpu(2, 2);
  const auto last = static_cast<int64_t>(kernel->launch().ctas());
  const auto first = static_cast<uint64_t>(rng.between(0, last - 1));
  RequestCounter counter;
  kernel->set_slots(1);
  counter.begin(kernel->launch());
  std::vector<SiteCounters> sum(kernel->launch().sites->size());
  for (uint64_t cta = first; cta < static_cast<uint64_t>(last); ++cta) {
    kernel->start(0, cta);
    while (kernel->run(0, 4096).value() != trace::Progress::kEnded) {
    }
    for (uint32_t warp = 0; warp < kernel->launch().warps(); ++warp) {
      counter.drain(warp, kernel->buffers(0)[warp]);
    }
    const CtaRequests taken = counter.take();
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += taken.sites[i];
  }
  const ReplayOptions how{.itinerary = {{first, static_cast<uint64_t>(last)}}};
  const Counters ran = replay(*kernel, config, {}, how).value();
  for (size_t i = 0; i < sum.size(); ++i) {
    EXPECT_EQ(ran.sites[i].request, sum[i].request);
    EXPECT_EQ(ran.sites[i].tag_wavefronts, sum[i].tag_wavefronts);
  }
}

TEST(Replay, EveryCtaOfTheGridRuns) {
  Synthetic kernel({7, 3, 2}, {64, 1, 1});
  const int64_t out = kernel.array(1 << 20);
  const uint32_t st = kernel.store();
  kernel.run_body(1, [=](Emitter& e, const Cta& cta, uint32_t, uint32_t) {
    e.at(st, [&](int64_t t) { return out + (static_cast<int64_t>(cta.id) * 64 + t) * 4; });
  });
  const Counters counters = replay(kernel, small_gpu(4, 2)).value();
  EXPECT_EQ(counters.sites[0].request.requests, 84u);
  EXPECT_EQ(counters.sites[0].l2_sectors, 84u * 4);
}

TEST(Replay, NoWarpPassesABarrierBeforeTheOthersArrive) {
  Synthetic kernel({1, 1, 1}, {64, 1, 1});
  const int64_t data = kernel.array(4096);
  const uint32_t st = kernel.store(), ld = kernel.load();
  kernel.run_body(1, [=](Emitter& e, const Cta&, uint32_t warp, uint32_t) {
    if (warp == 1) e.at(st, [&](int64_t t) { return data + t % 32 * 4; });
    e.barrier();
    if (warp == 0) e.at(ld, [&](int64_t t) { return data + t * 4; });
  });
  EXPECT_EQ(replay(kernel, small_gpu(1, 1)).value().sites[1].l1_hit_sectors, 4u);
}

TEST(Replay, WarpsTakeTurnsBatchByBatch) {
  // Each warp walks the same 64 KB, four times what the L1 holds. In turns, the second warp hits.
  Synthetic kernel({1, 1, 1}, {64, 1, 1});
  const int64_t data = kernel.array(1 << 16);
  const uint32_t ld = kernel.load();
  kernel.run_body(512, [=](Emitter& e, const Cta&, uint32_t, uint32_t step) {
    e.at(ld, [&](int64_t t) { return data + (step * 32 + t % 32) * 4; });
    e.use();
  });
  EXPECT_EQ(replay(kernel, small_gpu(1, 1)).value().sites[0].l1_hit_sectors, 512u * 4);
}

/// Two warps walk the same lines, far more than the L1 holds; sectors that the second one finds.
uint64_t found_behind_another(const Schedule& schedule, bool barrier) {
  Synthetic kernel({1, 1, 1}, {64, 1, 1});
  const int64_t data = kernel.array(1 << 24);
  const uint32_t ld = kernel.load();
  kernel.run_body(4000, [=](Emitter& e, const Cta&, uint32_t, uint32_t step) {
    for (int64_t line = 0; line < 16; ++line) {
      e.at(ld, [&](int64_t t) { return data + (step * 16 + line) * 128 + t % 32 * 4; });
    }
    e.use();
    if (barrier) e.barrier();
  });
  return replay(kernel, small_gpu(1, 1), schedule).value().sites[0].l1_hit_sectors;
}

constexpr uint64_t kAllFound = 4000 * 16 * 4;

TEST(Replay, WarpsThatNoBarrierJoinsDriftApart) {
  EXPECT_EQ(found_behind_another({.jitter = 0}, false), kAllFound);
  EXPECT_LT(found_behind_another({.jitter = 0.3}, false), kAllFound / 2);
}

TEST(Replay, WarpsThatABarrierJoinsStayTogether) {
  EXPECT_EQ(found_behind_another({.jitter = 0.3}, true), kAllFound);
}

TEST(Replay, CtasThatAllWaitAreNamed) {
  class Stuck : public Synthetic {
   public:
    Stuck() : Synthetic({1, 1, 1}, {32, 1, 1}) {}
    Result<trace::Progress> run(uint32_t, uint32_t) override { return trace::Progress::kBlocked; }
  } stuck;
  const Result<Counters> result = replay(stuck, small_gpu(1, 1));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, "ctas-wait-for-each-other");
}

TEST(Schedule, TheOldestEarnsMostAndTheSumIsTheNumberOfResidents) {
  const Schedule schedule;
  double sum = 0;
  for (uint32_t rank = 0; rank < 6; ++rank) sum += schedule.earning(rank, 6);
  EXPECT_DOUBLE_EQ(sum, 6.0);
  EXPECT_DOUBLE_EQ(schedule.earning(0, 6), 1.15);
  EXPECT_DOUBLE_EQ(schedule.earning(5, 6), 0.85);
  EXPECT_DOUBLE_EQ(schedule.earning(0, 1), 1.0);
}

LAW(Schedule, ABatchTakesAsLongAsItIsDrawn) {
  const Schedule schedule{.jitter = 0.25};
  Draw draw(static_cast<uint64_t>(rng.between(0, 1'000'000)));
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double length = schedule.length(2, draw.next());
    EXPECT_GE(length, 0.75 / 2);
    EXPECT_LE(length, 1.25 / 2);
    sum += length;
  }
  EXPECT_NEAR(sum, 500, 500 * 0.25 * 0.1);
}

TEST(Schedule, DriftIsDrawnFromTheSeedAndTheCtaAlone) {
  const Schedule schedule{.drift = 0.3, .seed = 5};
  for (uint64_t cta = 0; cta < 100; ++cta) {
    EXPECT_EQ(schedule.pace(cta), schedule.pace(cta));
    EXPECT_NEAR(schedule.pace(cta), 1.0, 0.3);
  }
  EXPECT_NE(schedule.pace(1), schedule.pace(2));
}

}  // namespace
}  // namespace warpledger::memory
