#include "warpledger/profile/advice/finding.h"

#include <gmock/gmock.h>

#include "tests/unit/profile/advice/findings.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/time/model.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using testing::add_access;
using testing::add_up;
using testing::any_profile;
using ::testing::HasSubstr;
using testing::plain_profile;
using testing::with_damaged_digits;
using trace::Kind;
using trace::Space;

void add_timing(Profile& profile) {
  profile.timing = time::estimate({profile, profile.counters});
  ASSERT_TRUE(profile.timing);
}

LAW(Findings, AreAtMostThreeAndSortedBySaving) {
  Profile profile = any_profile(rng);
  if (rng.coin()) add_timing(profile);
  const std::vector<Finding> findings = find(profile);
  EXPECT_LE(findings.size(), kMostFindings);
  double before = 1;
  for (const Finding& one : findings) {
    EXPECT_FALSE(one.title.empty() || one.remedy.empty());
    EXPECT_GE(one.saving, one.is_limit ? 0 : kLeastSaving);
    EXPECT_LE(one.saving, one.is_limit ? 1 : before);
    if (!one.is_limit) before = one.saving;
  }
}

LAW(Findings, WhatIsSaidToBeTheLimitIsTheLimit) {
  Profile profile = any_profile(rng);
  add_timing(profile);
  const Limit limit = find_limit({profile, profile.counters});
  const std::string units = busiest_units(profile).notes.front();
  EXPECT_EQ(limit.kind == Limit::Kind::kLatency,
            units.find("the limit is latency") != std::string::npos);
  for (const Finding& finding : find(profile)) {
    if (finding.title.find("the limit") == std::string::npos) continue;
    const std::string name = limit.kind == Limit::Kind::kLatency ? "Latency" : limit.name();
    EXPECT_THAT(finding.title, HasSubstr(name));
  }
}

// Files are untrusted: they may contain any number.
LAW(Findings, OfDamagedNumbersAreStillSentences) {
  Profile profile = any_profile(rng);
  add_timing(profile);
  const Result<Profile> read =
      profile_from_json(Source("p.json", with_damaged_digits(to_json(profile), rng)));
  if (!read) return;
  for (const Finding& finding : find(*read)) EXPECT_FALSE(finding.title.empty());
}

LAW(Saving, NothingIsSavedByChangingNothing) {
  Profile profile = any_profile(rng);
  if (rng.coin()) add_timing(profile);
  const Evidence evidence{profile, profile.counters};
  EXPECT_EQ(saving_of(evidence, evidence), 0);
}

LAW(Saving, AShorterPathNeverCosts) {
  Profile profile = any_profile(rng);
  add_timing(profile);
  const Evidence evidence{profile, profile.counters};
  time::Path path = time::path_of(*profile.timing);
  path.cycles *= static_cast<double>(rng.between(0, 100)) / 100;
  EXPECT_GE(saving_of(evidence, evidence, path), 0);
}

// Of 96 million bytes, a few sectors are written in part: true, and not worth a line.
TEST(Findings, WhatSavesLessThanAHundredthIsNotSaid) {
  Profile profile = plain_profile();
  profile.statistics.blocks = 10'000;
  add_access(profile, Space::kGlobal, Kind::kLoad, "a") = stream(1'000'000);
  SiteCounters& store = add_access(profile, Space::kGlobal, Kind::kStore, "b");
  store = stream(100);
  store.l2_partial_requests = 100;
  profile.arrays = {{"a", 128'000'000}, {"b", 12'800}};
  add_up(profile);
  add_timing(profile);
  const std::vector<Finding> findings = find(profile);
  EXPECT_EQ(with_code(findings, "partial-writes"), nullptr);
  ASSERT_NE(with_code(findings, "dram-bound"), nullptr);
  EXPECT_TRUE(with_code(findings, "dram-bound")->gain.empty());
}

TEST(Findings, SavingsAreOfTheLaunch) {
  Profile profile = plain_profile();
  profile.statistics.blocks = 10'000;
  SiteCounters& load = add_access(profile, Space::kGlobal, Kind::kLoad, "a");
  load = stream(1'000'000);
  load.request.sectors = load.request.theoretical_sectors = 32 * load.request.requests;
  load.l2_sectors = load.dram_read_sectors = 32 * load.request.requests;
  profile.arrays = {{"a", 128'000'000'000}};
  add_up(profile);
  add_timing(profile);
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "uncoalesced");
  ASSERT_NE(finding, nullptr);
  EXPECT_THAT(finding->gain, HasSubstr("of the launch's time (modeled)"));
}

// A counter of 4 bytes comes with the 64 that DRAM answers in.
TEST(Findings, AFewBytesAreNotReadRepeatedly) {
  Profile profile = plain_profile();
  SiteCounters& load = add_access(profile, Space::kGlobal, Kind::kLoad, "counter");
  load = stream(1);
  load.dram_read_sectors = 2;
  profile.arrays = {{"counter", 4}};
  add_up(profile);
  EXPECT_EQ(with_code(find(profile), "l2-thrash"), nullptr);
}

TEST(Findings, HostMemoryIsTheLimit) {
  Profile profile = plain_profile();
  profile.statistics.blocks = 10'000;
  add_access(profile, Space::kGlobal, Kind::kLoad, "a") = stream(1000);
  add_access(profile, Space::kGlobal, Kind::kStore, "b") = stream(1000);
  profile.arrays = {{"a", 128'000, true}, {"b", 128'000}};
  add_up(profile);
  add_timing(profile);
  const std::vector<Finding> findings = find(profile);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].code, "host-memory");
  EXPECT_THAT(findings[0].title, HasSubstr("128.00 KB over the bus: a lies in the host's memory"));
  EXPECT_TRUE(findings[0].gain.empty());
  EXPECT_EQ(limit_of(profile), "host memory over the bus");
  EXPECT_THAT(busiest_units(profile).notes.front(), HasSubstr("host memory over the bus"));
}

TEST(Findings, ArithmeticThatLimitsIsNamedWithItsPipe) {
  Profile profile = plain_profile();
  profile.statistics.blocks = 8200;
  Machine& machine = profile.machine.emplace();
  machine.instructions = 1 << 30;
  machine.opcodes = {{"FFMA", 900'000'000}, {"ISETP", 100'000'000}};
  machine.pipes.fma = 1 << 30;
  profile.code = {{.text = "fma.rn.f32", .source = {"m.cu", 14}, .executions = 1, .issued = 90},
                  {.text = "setp.lt.s32", .source = {"m.cu", 13}, .executions = 1, .issued = 10}};
  add_timing(profile);
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "compute-bound");
  ASSERT_NE(finding, nullptr) << to_text(findings);
  EXPECT_THAT(finding->title, HasSubstr("(FMA) is the limit: busy for "));
  EXPECT_THAT(finding->because[0], HasSubstr("FFMA 84 %"));
  EXPECT_EQ(to_text(finding->where), "m.cu:14");
}

TEST(Findings, AtomicsAtOneAddressAreTheLimitWhereTheirUnitIs) {
  Profile profile = plain_profile();
  profile.statistics.blocks = 8200;
  profile.execution.ctas = 8200;
  SiteCounters& atomic = add_access(profile, Space::kGlobal, Kind::kAtomic, "counter");
  atomic.request = stream(1'000'000).request;
  atomic.request.words = atomic.request.requests;
  atomic.l2_sectors = atomic.l2_requests = atomic.request.requests;
  profile.arrays = {{"counter", 4}};
  add_up(profile);
  profile.counters.l2.hottest_atomics = 1'000'000;
  add_timing(profile);
  EXPECT_EQ(limit_of(profile), "atomics at one address in the L2");
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "contended-atomics");
  ASSERT_NE(finding, nullptr) << to_text(findings);
  EXPECT_TRUE(finding->is_limit);
  EXPECT_GT(finding->saving, 0.5);
  EXPECT_THAT(finding->remedy, HasSubstr("within the block first"));
}

TEST(Findings, AWaitIsWorthWhatTheSmWithoutItSaves) {
  Profile profile = plain_profile();
  add_access(profile, Space::kGlobal, Kind::kLoad, "a") = stream(64);
  add_up(profile);
  add_timing(profile);
  profile.timing->elapsed_cycles = 1e6;  // no unit is busy for long
  profile.states = {.cycles = 1000, .issued = 10};
  profile.states->instructions.resize(profile.code.size() + 1);
  profile.awaited = {.source = {"k.cu", 1}, .share = 0.6, .cycles = 700};
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "latency-bound");
  ASSERT_NE(finding, nullptr) << to_text(findings);
  EXPECT_NEAR(finding->saving, 0.3, 1e-9);
  EXPECT_THAT(to_text(findings), HasSubstr("60 % of all warp cycles wait for k.cu:1"));
  EXPECT_THAT(finding->remedy, HasSubstr("start the load at k.cu:1 earlier"));
}

TEST(Findings, ACoalescedStreamHasNothingToSave) {
  Profile profile = plain_profile();
  profile.statistics.blocks = 10'000;
  add_access(profile, Space::kGlobal, Kind::kLoad, "a") = stream(1'000'000);
  profile.arrays = {{"a", 128'000'000}};
  add_up(profile);
  EXPECT_TRUE(find(profile).empty());
}

TEST(Findings, ScatteredLanesAreUncoalesced) {
  Profile profile = plain_profile();
  SiteCounters& load = add_access(profile, Space::kGlobal, Kind::kLoad, "a");
  load = stream(1'000'000);
  load.request.sectors = load.request.theoretical_sectors = 32 * load.request.requests;
  load.l2_sectors = load.dram_read_sectors = 32 * load.request.requests;
  profile.arrays = {{"a", 128'000'000'000}};
  add_up(profile);
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "uncoalesced");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding, &findings.front());
  EXPECT_EQ(to_text(finding->where), "k.cu:1");
  EXPECT_NE(finding->because[0].find("32.0 sectors of 32 B per request where 4.0"),
            std::string::npos);
  EXPECT_NEAR(finding->saving, 1 - 4.0 / 32, 0.01);
}

TEST(Findings, RepeatedReadsFromDramNameTheArray) {
  Profile profile = plain_profile();
  add_access(profile, Space::kGlobal, Kind::kLoad, "b") = stream(1'000'000);
  profile.arrays = {{"b", 12'800'000}};  // a tenth of what is fetched
  add_up(profile);
  const std::vector<Finding> findings = find(profile);
  ASSERT_NE(with_code(findings, "l2-thrash"), nullptr);
  EXPECT_NE(with_code(findings, "l2-thrash")->title.find("b is read 10.0 times from DRAM"),
            std::string::npos);
}

TEST(Findings, RequestsThatBringLittleMakeTheLsuTheLimit) {
  Profile profile = plain_profile();
  profile.statistics.blocks = 8200;
  SiteCounters& load = add_access(profile, Space::kGlobal, Kind::kLoad, "A");
  load = stream(82'000'000);
  load.request.words = 2 * load.request.requests;
  load.l1_hit_sectors = load.request.sectors;
  load.l2_requests = load.l2_sectors = load.dram_read_sectors = 0;
  profile.samples = {{.source = {"k.cu", 1},
                      .array = "A",
                      .requests = 2000,
                      .lanes = 64'000,
                      .addresses = 4000,
                      .unique_addresses = 4000}};
  add_up(profile);
  const std::vector<Finding> findings = find(profile);
  ASSERT_FALSE(findings.empty());
  const Finding& first = findings.front();
  EXPECT_EQ(first.code, "lsu-bound");
  EXPECT_NE(first.because[0].find("1.00 million requests per SM at 2 cycles each"),
            std::string::npos)
      << first.because[0];
  EXPECT_NE(first.because[1].find("A: 2 addresses per warp and step for 32 lanes; 4,000 unique"),
            std::string::npos)
      << first.because[1];
  EXPECT_NEAR(first.saving, 1 - 2.0 / 32, 0.3);
}

TEST(Findings, AtomicsAtOneAddressTakeTurns) {
  Profile profile = plain_profile();
  SiteCounters& red = add_access(profile, Space::kGlobal, Kind::kReduction, "sum");
  red.request = stream(1000).request;
  red.request.words = red.request.requests;
  red.request.sectors = red.l2_sectors = red.l2_requests = 32 * red.request.requests;
  add_up(profile);
  const std::vector<Finding> findings = find(profile);
  EXPECT_NE(with_code(findings, "contended-atomics"), nullptr);
}

// A register-tiled product needs its registers: fewer would let more warps in, and save nothing.
TEST(Findings, OccupancyIsNotAdvisedWhereItSavesNothing) {
  Profile profile = plain_profile();
  profile.launch.grid = {1, 1, 1};
  profile.launch.registers_per_thread = profile.resources.registers = 200;
  profile.statistics = *launch_statistics(profile.gpu, profile.launch);
  profile.execution.ctas = 1;
  profile.execution.warps = 8;
  add_access(profile, Space::kGlobal, Kind::kLoad, "a") = stream(1000);
  profile.arrays = {{"a", 128'000}};
  add_up(profile);
  add_timing(profile);
  ASSERT_LT(profile.statistics.occupancy_percent, 50);
  EXPECT_EQ(with_code(find(profile), "low-occupancy"), nullptr);
}

TEST(Findings, SpillsAreNotCalledArrays) {
  Profile profile = plain_profile();
  SiteCounters& spilled = add_access(profile, Space::kLocal, Kind::kLoad, "");
  spilled = stream(1000);
  profile.instructions.back().is_spill = true;
  add_up(profile);
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "local-memory");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "Registers spill to local memory");
}

TEST(Summary, SaysWhenNothingStandsOut) {
  EXPECT_NE(to_text(std::vector<Finding>{}).find("Nothing stands out"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::profile
