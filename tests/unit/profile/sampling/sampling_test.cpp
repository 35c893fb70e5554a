#include "warpledger/profile/sampling/sampling.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "warpledger/profile/value/fields.h"

namespace warpledger::profile {
namespace {

using memory::Counters;
using warpledger::testing::Rng;

exec::Extent any_grid(Rng& rng) {
  const auto extent = [&] { return static_cast<uint32_t>(rng.between(1, rng.coin() ? 9 : 300)); };
  return {extent(), extent(), extent()};
}

LAW_ROUNDS(Strata, WeightsAddUpAndLinearFunctionsComeOutExactly, 100) {
  const exec::Extent grid = any_grid(rng);
  const int64_t a = rng.between(0, 50), b = rng.between(0, 50), c = rng.between(0, 50);
  double weight = 0, sum = 0;
  for (const Delegate& delegate : choose_delegates(grid, 128)) {
    const uint64_t x = delegate.cta % grid[0], y = delegate.cta / grid[0] % grid[1],
                   z = delegate.cta / grid[0] / grid[1];
    ASSERT_LT(z, grid[2]);
    weight += delegate.weight;
    sum += delegate.weight *
           static_cast<double>(a * static_cast<int64_t>(x) + b * static_cast<int64_t>(y) +
                               c * static_cast<int64_t>(z));
  }
  const double blocks = double{1} * grid[0] * grid[1] * grid[2];
  const double mean =
      (static_cast<double>(a) * (grid[0] - 1) + static_cast<double>(b) * (grid[1] - 1) +
       static_cast<double>(c) * (grid[2] - 1)) /
      2;
  EXPECT_DOUBLE_EQ(weight, blocks);
  EXPECT_NEAR(sum, blocks * mean, 1e-9 * blocks * (mean + 1));
}

LAW_ROUNDS(Strata, EdgesStandForThemselves, 30) {
  const exec::Extent grid = {static_cast<uint32_t>(rng.between(100, 1000)),
                             static_cast<uint32_t>(rng.between(1, 1000)), 1};
  double last_column = 0;
  for (const Delegate& delegate : choose_delegates(grid, 128)) {
    if (delegate.cta % grid[0] == grid[0] - 1) last_column += delegate.weight;
  }
  EXPECT_DOUBLE_EQ(last_column, grid[1]);
}

LAW(Counters, AreTheSameAsNumbersAndBack) {
  memory::SiteCounters counters;
  memory::each_counter([&](uint64_t& n) { n = rng.bits() >> 16; }, counters);
  EXPECT_EQ(counters_of(numbers_of(counters)), counters);
  memory::SiteCounters two_fold = counters;
  two_fold += counters;
  SiteNumbers sum = numbers_of(counters);
  add_scaled(sum, numbers_of(counters), 1);
  EXPECT_EQ(counters_of(sum), two_fold);
}

TEST(Strata, EveryBlockOfASmallGridRuns) {
  const std::vector<Delegate> all = choose_delegates({4, 4, 2}, 128);
  ASSERT_EQ(all.size(), 32u);
  for (const Delegate& delegate : all) EXPECT_EQ(delegate.weight, 1);
}

/// Counters after `n` blocks of a kernel with a cold start: everything misses at first.
Counters after(double n, double cold) {
  Counters c;
  c.sites.resize(2);
  const auto whole = [](double x) { return static_cast<uint64_t>(x); };
  const double warm = n > cold ? n - cold : 0;
  c.sites[0].request.requests = whole(10 * n);
  c.sites[0].request.sectors = whole(40 * n);
  c.sites[0].l1_hit_sectors = whole(20 * warm);
  c.sites[0].l2_sectors = whole(40 * n) - c.sites[0].l1_hit_sectors;
  c.sites[0].dram_read_sectors = c.sites[0].l2_sectors;
  c.sites[1].request.requests = whole(n);
  c.sites[1].l2_sectors = whole(4 * n);
  c.l2.read_sectors = c.sites[0].l2_sectors;
  c.l2.write_sectors = c.l2.write_hits = c.sites[1].l2_sectors;
  c.dram.read_sectors = c.sites[0].dram_read_sectors;
  const double dirty = std::min(4 * n, 200.0);
  c.dram.dirty_left_sectors = whole(dirty);
  c.dram.write_sectors = whole(4 * n - dirty);
  return c;
}

const trace::Sites kSites = {{.kind = trace::Kind::kLoad}, {.kind = trace::Kind::kStore}};

LAW_ROUNDS(Extrapolate, WhatIsLinearAfterTheColdWavesComesOutExactly, 50) {
  const auto cold = static_cast<double>(rng.between(10, 100));
  const double end = cold + static_cast<double>(rng.between(60, 200)), all = 10'000;
  const Sampled sampled{.cold = after(cold, cold),
                        .windows = {{after(cold + 5, cold), after(cold + 30, cold)},
                                    {after(cold + 30, cold), after(end, cold)}},
                        .tail_begin = after(end, cold),
                        .end = after(end, cold)};
  const Counters whole = after(all, cold);
  EXPECT_EQ(extrapolate(sampled, kSites, whole.sites, {.sectors = 1e6, .dirty_limit = 200}), whole);
}

TEST(Extrapolate, DirtyDataThatStillGrowsStopsAtTheLimit) {
  const Sampled sampled{.cold = after(10, 0),
                        .windows = {{after(10, 0), after(20, 0)}},
                        .tail_begin = after(20, 0),
                        .end = after(20, 0)};
  const Counters made =
      extrapolate(sampled, kSites, after(1000, 0).sites, {.sectors = 1e6, .dirty_limit = 200});
  EXPECT_EQ(made.dram.dirty_left_sectors, 200u);
  EXPECT_EQ(made.dram.write_sectors, 4000u - 200u);
}

Census census_of(uint64_t ctas, double accesses_per_cta) {
  Census census;
  census.accesses = accesses_per_cta * static_cast<double>(ctas);
  census.batches_per_cta = 100;
  return census;
}

TEST(Sampling, AGridAHundredTimesLargerRunsAsManyBlocks) {
  const auto small = plan_sampling(47'000, 492, census_of(47'000, 32'000), {.max_seconds = 30}, {});
  const auto large =
      plan_sampling(4'700'000, 492, census_of(4'700'000, 32'000), {.max_seconds = 30}, {});
  ASSERT_TRUE(small && large);
  EXPECT_EQ(memory::ctas_of(small->itinerary), memory::ctas_of(large->itinerary));
}

LAW_ROUNDS(Sampling, StretchesAscendWithinTheGrid, 50) {
  const auto wave = static_cast<uint64_t>(rng.between(1, 2000));
  const uint64_t ctas = wave * static_cast<uint64_t>(rng.between(16, 3000));
  Census census = census_of(ctas, 100'000);
  census.deviation = 0.5;
  const auto plan = plan_sampling(ctas, wave, census,
                                  {.max_seconds = static_cast<double>(rng.between(0, 2))}, {});
  if (!plan) return;
  uint64_t end = 0;
  for (const memory::Stretch& stretch : plan->itinerary) {
    EXPECT_GE(stretch.first, end);
    EXPECT_LE(stretch.first, stretch.end);
    end = stretch.end;
  }
  EXPECT_LE(end, ctas);
  EXPECT_LE(2 * memory::ctas_of(plan->itinerary), ctas);
  EXPECT_EQ(plan->windows.back().second, memory::ctas_of(plan->itinerary));
}

TEST(Sampling, BlocksThatAreAlikeAreTakenFromTheBeginning) {
  const auto plan = plan_sampling(47'000, 492, census_of(47'000, 32'000), {.max_seconds = 30}, {});
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->itinerary.size(), 1u);
  EXPECT_EQ(plan->itinerary[0].first, 0u);
  EXPECT_EQ(plan->windows.size(), 4u);
  EXPECT_GE(plan->cold, 4u * 492);
}

TEST(Sampling, AFewWavesAreRunInFull) { EXPECT_FALSE(may_sample(15 * 492, 492)); }

TEST(Sampling, ARoughAnswerTakesFewerWaves) {
  const SamplingOptions rough{
      .max_seconds = 0, .accesses_per_l2_sector = 0, .cold_waves = 1, .measured_waves = 1};
  EXPECT_FALSE(may_sample(4 * 492 - 1, 492, rough));
  ASSERT_TRUE(may_sample(4 * 492, 492, rough));
  const auto plan = plan_sampling(4 * 492, 492, census_of(4 * 492, 32'000), rough, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(memory::ctas_of(plan->itinerary), 2u * 492);
  EXPECT_EQ(plan->cold, 492u);
}

}  // namespace
}  // namespace warpledger::profile
