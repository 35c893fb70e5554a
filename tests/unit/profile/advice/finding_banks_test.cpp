// Findings in shared memory: conflicts of banks, copies of short rows.
#include <gmock/gmock.h>

#include "tests/unit/profile/advice/findings.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/advice/finding.h"

namespace warpledger::profile {
namespace {

using memory::SiteCounters;
using testing::add_access;
using testing::add_up;
using testing::plain_profile;
using trace::Kind;
using trace::Space;

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

TEST(Findings, CopiesOfShortRowsAreNoBankConflicts) {
  Profile profile = plain_profile();
  SiteCounters& from = add_access(profile, Space::kGlobal, Kind::kAsyncCopy);
  from.request = stream(1'000'000).request;
  from.request.tags = 16 * from.request.requests;
  const memory::RequestCounters read = from.request;
  SiteCounters& to = add_access(profile, Space::kShared, Kind::kAsyncCopy);
  to.request.requests = read.requests;
  to.request.ideal_wavefronts = 4 * read.requests;
  to.request.data_wavefronts = read.tags;
  add_up(profile);
  const std::vector<Finding> findings = find(profile);
  EXPECT_EQ(with_code(findings, "bank-conflicts"), nullptr);
  const Finding* finding = with_code(findings, "short-copies");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->because[0].find("16.0 wavefronts per request where 4.0"), std::string::npos);
}

TEST(Findings, ACopyWithoutItsReadingSideIsReadAsBankConflicts) {
  Profile profile = plain_profile();
  SiteCounters& to = add_access(profile, Space::kShared, Kind::kAsyncCopy);
  to.request = stream(1'000'000).request;
  to.request.data_wavefronts = 16 * to.request.requests;
  const std::vector<Finding> findings = find(profile);
  EXPECT_NE(with_code(findings, "bank-conflicts"), nullptr);
}

/// A load of shared memory at `line` with so many wavefronts a request.
void add_conflict(Profile& profile, uint32_t line, uint64_t ways) {
  SiteCounters& load = add_access(profile, Space::kShared, Kind::kLoad);
  load.request = stream(250'000).request;
  load.request.data_wavefronts = ways * load.request.requests;
  profile.code.back().source = {"tile.cu", line};
}

TEST(Findings, LinesWithOneCauseAreOneFinding) {
  Profile profile = plain_profile();
  for (const uint32_t line : {8, 9, 10, 11}) add_conflict(profile, line, 32);
  const std::vector<Finding> findings = find(profile);
  ASSERT_EQ(std::count_if(findings.begin(), findings.end(),
                          [](const Finding& one) { return one.code == "bank-conflicts"; }),
            1);
  const Finding* finding = with_code(findings, "bank-conflicts");
  EXPECT_NE(finding->title.find("tile.cu:8, 9, 10, 11: load"), std::string::npos) << finding->title;
  EXPECT_GT(finding->saving, 0.9);
}

TEST(Findings, LinesThatConflictDifferentlyStayApart) {
  Profile profile = plain_profile();
  add_conflict(profile, 8, 32);
  add_conflict(profile, 9, 16);
  const Evidence evidence{profile, profile.counters};
  EXPECT_EQ(merge_alike(groups_of(evidence)).size(), 2u);
}

LAW(Findings, MergedGroupsCountTheSame) {
  Profile profile = plain_profile();
  for (int64_t i = rng.between(1, 9); i > 0; --i)
    add_conflict(profile, static_cast<uint32_t>(rng.between(1, 5)),
                 static_cast<uint64_t>(rng.between(1, 3)));
  const Evidence evidence{profile, profile.counters};
  const auto wavefronts = [](const std::vector<Group>& groups) {
    uint64_t sum = 0;
    for (const Group& group : groups) sum += group.sum.request.data_wavefronts;
    return sum;
  };
  const std::vector<Group> groups = groups_of(evidence), merged = merge_alike(groups);
  EXPECT_EQ(wavefronts(groups), wavefronts(merged));
  EXPECT_LE(merged.size(), groups.size());
}

}  // namespace
}  // namespace warpledger::profile
