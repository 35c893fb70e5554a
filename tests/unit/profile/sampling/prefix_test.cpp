#include "warpledger/profile/sampling/prefix.h"

#include <gtest/gtest.h>

#include "tests/support/law.h"

namespace warpledger::profile {
namespace {

using memory::Counters;

// After `n` accesses of a loop that loads and, once in four times, stores: nothing hits in the
// first `cold` of them.
Counters looped(uint64_t n, uint64_t cold) {
  Counters c;
  c.sites.resize(3);
  const uint64_t warm = n > cold ? n - cold : 0;
  memory::SiteCounters& load = c.sites[0];
  load.request.requests = load.request.tags = load.l2_requests = n;
  load.request.sectors = 4 * n;
  load.l1_hit_sectors = 2 * warm;
  load.l2_sectors = load.dram_read_sectors = 4 * n - load.l1_hit_sectors;
  memory::SiteCounters& store = c.sites[1];
  store.request.requests = store.l2_requests = n / 4;
  store.request.sectors = store.l2_sectors = store.l2_hit_sectors = n / 4 * 4;
  c.l2.read_sectors = load.l2_sectors;
  c.l2.write_sectors = c.l2.write_hits = store.l2_sectors;
  c.dram.read_sectors = c.dram.unique_read_sectors = load.dram_read_sectors;
  c.dram.write_sectors = c.dram.unique_written_sectors = store.l2_sectors;
  return c;
}

// Each call of next() is an epoch.
class Epochs : public memory::View {
 public:
  Epochs(uint64_t cold, uint64_t each) : cold_(cold), each_(each) {}
  void next() {
    rounds_ += 64;
    accesses_ += each_;
  }
  [[nodiscard]] uint64_t started() const override { return 1; }
  [[nodiscard]] uint64_t rounds() const override { return rounds_; }
  [[nodiscard]] uint64_t accesses() const override { return accesses_; }
  [[nodiscard]] uint64_t lookups() const override { return accesses_; }
  [[nodiscard]] Counters counters() override { return looped(accesses_, cold_); }
  void count_only() override { ++stops_; }
  [[nodiscard]] int stops() const { return stops_; }

 private:
  uint64_t cold_, each_, rounds_ = 0, accesses_ = 0;
  int stops_ = 0;
};

const trace::Sites kLoopSites = {
    {.kind = trace::Kind::kLoad}, {.kind = trace::Kind::kStore}, {.kind = trace::Kind::kStore}};

LAW_ROUNDS(Prefix, WhatIsLinearAfterItsFirstHalfComesOutExactly, 50) {
  const auto seen = static_cast<uint64_t>(rng.between(1'000, 100'000));
  Epochs run(static_cast<uint64_t>(rng.between(0, static_cast<int64_t>(seen) / 2)),
             4 * static_cast<uint64_t>(rng.between(1, 300)));
  Prefix prefix(seen);
  for (int i = 0; i < 10 || run.accesses() < 4 * seen; ++i) {
    run.next();
    prefix.look(run);
  }
  EXPECT_EQ(run.stops(), 1);
  const Counters end = run.counters();
  const auto begun = prefix.take(end);
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->windows.size(), 4u);
  EXPECT_EQ(extrapolate(*begun, kLoopSites, end.sites, {.sectors = 1e6, .dirty_limit = 0}), end);
  EXPECT_GE(prefix.note().modeled, seen);
  EXPECT_EQ(prefix.note().counted, run.accesses());
}

TEST(Prefix, IsNotTakenOfALaunchThatEndsWithinIt) {
  Epochs run(0, 100);
  Prefix prefix(2'000);
  for (int i = 0; i < 10; ++i) {
    run.next();
    prefix.look(run);
  }
  EXPECT_FALSE(prefix.take(run.counters()));
  EXPECT_EQ(run.stops(), 0);
}

// A store behind the loop, that the caches never saw.
TEST(Prefix, BytesThatTheCachesNeverSawAreNewToThem) {
  Epochs run(0, 400);
  Prefix prefix(1'000);
  for (int i = 0; i < 10; ++i) {
    run.next();
    prefix.look(run);
  }
  Counters end = run.counters();
  end.sites[2].request = {.requests = 10, .sectors = 40, .tags = 10};
  const auto begun = prefix.take(end);
  ASSERT_TRUE(begun);
  const Counters made =
      extrapolate(*begun, kLoopSites, end.sites, {.sectors = 1e6, .dirty_limit = 0});
  EXPECT_EQ(made.sites[2].l2_sectors, 40u);
  EXPECT_EQ(made.sites[2].l2_requests, 10u);
  EXPECT_EQ(made.l2.write_sectors, end.l2.write_sectors + 40);
  EXPECT_EQ(made.dram.write_sectors, end.dram.write_sectors + 40);
}

TEST(Prefix, IsWhatTheBudgetPaysAndFillsTheL2) {
  EXPECT_EQ(prefix_lookups({.max_seconds = 30}, {.sectors = 1e6}), 600'000'000u);
  EXPECT_EQ(prefix_lookups({.max_seconds = 1}, {.sectors = 1e6}), 64'000'000u);
  EXPECT_EQ(prefix_lookups({.max_seconds = 0.02, .accesses_per_l2_sector = 0}, {}), 20'000'000u);
}

}  // namespace
}  // namespace warpledger::profile
