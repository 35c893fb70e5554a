#include "warpledger/profile/finding.h"

#include <gtest/gtest.h>

#include "tests/profile/any_profile.h"
#include "warpledger/profile/summary.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using testing::add_access;
using testing::add_up;
using testing::any_profile;
using testing::plain_profile;
using trace::Kind;
using trace::Space;

/// Coalesced 32-bit requests that miss everywhere.
SiteCounters stream(uint64_t requests) {
  SiteCounters c;
  c.request = {.instructions = requests,
               .requests = requests,
               .lanes = 32 * requests,
               .sectors = 4 * requests,
               .theoretical_sectors = 4 * requests,
               .ideal_sectors = 4 * requests,
               .tags = requests,
               .data_wavefronts = requests,
               .ideal_wavefronts = requests,
               .words = 32 * requests};
  c.tag_wavefronts = requests;
  c.l2_requests = requests;
  c.l2_sectors = c.dram_read_sectors = 4 * requests;
  return c;
}

const Finding* with_code(const std::vector<Finding>& findings, const std::string& code) {
  for (const Finding& finding : findings) {
    if (finding.code == code) return &finding;
  }
  return nullptr;
}

LAW(Findings, AreAtMostThreeAndSortedBySaving) {
  const std::vector<Finding> findings = find(any_profile(rng));
  EXPECT_LE(findings.size(), kMostFindings);
  for (size_t i = 0; i < findings.size(); ++i) {
    EXPECT_GE(findings[i].saving, 0);
    EXPECT_LE(findings[i].saving, 1);
    EXPECT_FALSE(findings[i].title.empty() || findings[i].remedy.empty());
    EXPECT_GE(findings[i == 0 ? 0 : i - 1].saving, findings[i].saving);
  }
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

TEST(Findings, BankConflictsNameTheLine) {
  Profile profile = plain_profile();
  SiteCounters& load = add_access(profile, Space::kShared, Kind::kLoad);
  load.request = stream(1'000'000).request;
  load.request.data_wavefronts = 32 * load.request.requests;
  const std::vector<Finding> findings = find(profile);
  const Finding* finding = with_code(findings, "bank-conflicts");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->because[0].find("32.0 wavefronts per request where 1.0"), std::string::npos);
  EXPECT_GT(finding->saving, 0.9);
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

TEST(Summary, SaysWhenNothingStandsOut) {
  EXPECT_NE(to_text(std::vector<Finding>{}).find("Nothing stands out"), std::string::npos);
}

}  // namespace
}  // namespace warpledger::profile
