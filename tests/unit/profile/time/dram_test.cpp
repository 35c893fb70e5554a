#include "warpledger/profile/time/dram.h"

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/time/model.h"

namespace warpledger::profile::time {
namespace {

using profile::testing::add_access;
using profile::testing::add_up;
using profile::testing::plain_profile;
using profile::testing::Rng;

constexpr uint64_t kMany = 4'000'000;

memory::DramCounters any_dram(Rng& rng) {
  return {.read_sectors = static_cast<uint64_t>(rng.between(0, 1000)),
          .write_sectors = static_cast<uint64_t>(rng.between(0, 1000))};
}

/// 128 bytes read by each of `kMany` warps, all from DRAM, and as much written.
Profile copies(const char* gpu, uint32_t registers) {
  Profile profile = plain_profile(gpu);
  profile.launch.grid = {kMany / 8, 1, 1};
  profile.launch.registers_per_thread = registers;
  profile.statistics = *launch_statistics(profile.gpu, profile.launch);
  profile.execution = {.ctas = kMany / 8, .warps = kMany, .warp_instructions = 10 * kMany};
  profile.execution.batches = 1;
  memory::SiteCounters& load = add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad);
  load.request.requests = load.l2_requests = kMany;
  load.l2_sectors = load.dram_read_sectors = 4 * kMany;
  add_up(profile);
  profile.counters.dram.write_sectors = 4 * kMany;
  return profile;
}

double cycles(const Profile& profile) {
  return estimate({profile, profile.counters})->elapsed_cycles;
}

LAW(Dram, TurnsAreTheSameFromReadsAndFromWrites) {
  const memory::DramCounters dram = any_dram(rng);
  const memory::DramCounters mirrored{.read_sectors = dram.write_sectors,
                                      .write_sectors = dram.read_sectors};
  EXPECT_EQ(turning(dram), turning(mirrored));
  EXPECT_GE(turning(dram), 0);
  EXPECT_LE(turning(dram), 1);
}
TEST(Dram, ReadsOrWritesAloneNeverTurn) {
  EXPECT_EQ(turning({}), 0);
  EXPECT_EQ(turning({.read_sectors = 7}), 0);
  EXPECT_EQ(turning({.write_sectors = 7}), 0);
  EXPECT_EQ(turning({.read_sectors = 7, .write_sectors = 7}), 1);
}
LAW(Dram, AStreamReachesBetweenTheTwoEfficienciesOfTheFile) {
  Profile profile = plain_profile("a100");
  profile.counters.dram = any_dram(rng);
  const DramFacts& facts = profile.gpu.dram;
  EXPECT_GE(dram_efficiency({profile, profile.counters}), facts.copy_efficiency->value);
  EXPECT_LE(dram_efficiency({profile, profile.counters}), facts.read_efficiency->value);
}
TEST(Dram, ABusyHbmAnswersLaterThanABusyGddr) {
  const Profile hbm = plain_profile("a100"), gddr = plain_profile("rtx3090");
  EXPECT_GT(growth_of_latency({hbm, hbm.counters}), growth_of_latency({gddr, gddr.counters}));
}
TEST(TimeModel, FewerBytesInFlightReachLessOfDram) {
  // 8 blocks in an SM, and 2.
  EXPECT_GT(cycles(copies("h100-pcie", 128)), 1.5 * cycles(copies("h100-pcie", 32)));
}
TEST(TimeModel, AStreamTakesAtLeastWhatItsBytesTake) {
  const Profile profile = copies("h100-pcie", 32);
  const Evidence evidence{profile, profile.counters};
  EXPECT_GE(cycles(profile), dram_cycles(evidence, unit_loads(evidence)));
}

}  // namespace
}  // namespace warpledger::profile::time
