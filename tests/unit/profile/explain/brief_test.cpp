#include "warpledger/profile/explain/brief.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/explain/brief_json.h"
#include "warpledger/profile/explain/brief_lines.h"
#include "warpledger/profile/explain/rule_page.h"
#include "warpledger/profile/file/json.h"
#include "warpledger/profile/time/model.h"

namespace warpledger::profile {
namespace {

using testing::add_access;
using testing::add_up;
using testing::any_profile;
using ::testing::HasSubstr;
using testing::plain_profile;
using testing::with_damaged_digits;
using trace::Kind;
using trace::Space;

void add_timing(Profile& profile) { profile.timing = time::estimate({profile, profile.counters}); }

size_t line_count(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// A column of a tile of 32 x 32 floats: every lane in one bank.
Profile with_conflicts() {
  Profile profile = plain_profile("a100");
  memory::SiteCounters& c = add_access(profile, Space::kShared, Kind::kLoad);
  c.request = {.instructions = 100'000,
               .requests = 100'000,
               .lanes = 3'200'000,
               .data_wavefronts = 3'200'000,
               .ideal_wavefronts = 100'000,
               .words = 3'200'000};
  AccessExample example{.instruction = 0, .mask = ~0u};
  for (size_t lane = 0; lane < 32; ++lane) example.address[lane] = 128 * lane;
  profile.examples = {example};
  add_up(profile);
  add_timing(profile);
  return profile;
}

LAW(Brief, HasAtMostFifteenLinesAndEachARuleWithAPage) {
  Profile profile = any_profile(rng);
  if (rng.coin()) add_timing(profile);
  if (rng.coin()) profile.races.found = {{.hazard = "write-after-read"}};
  const std::vector<BriefLine> lines = lines_of(brief_of(profile, {}));
  EXPECT_LE(lines.size(), kMostLines);
  EXPECT_EQ(line_count(to_text(lines)), lines.size());
  EXPECT_EQ(lines.front().kind, "launch");
  EXPECT_EQ(lines.back().kind, "measure");
  for (const BriefLine& line : lines) {
    EXPECT_NE(find_rule_page(line.rule), nullptr) << line.rule;
    EXPECT_FALSE(line.text.empty());
  }
}

LAW(Brief, SaysTheSameTwice) {
  Profile profile = any_profile(rng);
  add_timing(profile);
  EXPECT_EQ(to_json(briefs_of({profile}, {}, 5)), to_json(briefs_of({profile}, {}, 5)));
}

// Files are untrusted: they may contain any number.
LAW(Brief, OfDamagedNumbersIsStillABrief) {
  Profile profile = any_profile(rng);
  add_timing(profile);
  const Result<Profile> read =
      profile_from_json(Source("p.json", with_damaged_digits(to_json(profile), rng)));
  if (!read) return;
  EXPECT_LE(lines_of(brief_of(*read, {})).size(), kMostLines);
}

LAW(Brief, SavesWhatItsFindingSaves) {
  Profile profile = any_profile(rng);
  add_timing(profile);
  const std::vector<Finding> findings = find(profile);
  const Brief brief = brief_of(profile, {});
  ASSERT_EQ(brief.findings.size(), findings.size());
  for (size_t i = 0; i < findings.size(); ++i) {
    EXPECT_EQ(brief.findings[i].rule, findings[i].code);
    EXPECT_EQ(brief.findings[i].saving, findings[i].saving < kLeastSaving ? 0 : findings[i].saving);
  }
}

TEST(Brief, QuotesTheDeclarationWithItsPadding) {
  const Profile profile = with_conflicts();
  const SourceText sources = {{"k.cu", {"x = tile[a][b];"}}};
  EXPECT_EQ(brief_of(profile, sources).findings.front().change.snippet, "");
  Profile lower = profile;
  lower.code[0].source.line = 2;
  const SourceText declared = {{"k.cu", {"  __shared__ float tile[32][32];", "x = tile[a][b];"}}};
  const Brief brief = brief_of(lower, declared);
  ASSERT_FALSE(brief.findings.empty());
  EXPECT_EQ(brief.findings.front().rule, "bank-conflicts");
  EXPECT_EQ(brief.findings.front().change.snippet, "__shared__ float tile[32][33];");
  EXPECT_THAT(brief.findings.front().change.text, HasSubstr("1 wavefront instead of 32"));
}

TEST(Brief, MeasuresWhereTheSavingIsLessThanTheExpectedError) {
  Profile profile = with_conflicts();
  profile.machine.emplace();
  std::vector<Finding> findings = find(profile);
  ASSERT_FALSE(findings.empty());
  const auto reasons = [&](double saving) {
    findings.front().saving = saving;
    const auto& all = certainty_of(profile, findings).measure;
    return std::count_if(all.begin(), all.end(), [](const std::string& why) {
      return why.find("change 1 would give") != std::string::npos;
    });
  };
  const double error = published_error(profile).median_error;
  ASSERT_GT(error, 0.01);
  EXPECT_EQ(reasons(error / 2), 1);
  EXPECT_EQ(reasons(2 * error), 0);
}

TEST(Brief, MeasuresWhatIsNotModeled) {
  const Profile profile = plain_profile();
  EXPECT_THAT(brief_of(profile, {}).certainty.measure.front(), HasSubstr("not modeled"));
}

TEST(Briefs, AreThoseOfTheLongestLaunches) {
  Profile quick = with_conflicts(), slow = with_conflicts();
  slow.kernel = "slow";
  slow.timing->elapsed_cycles *= 10;
  const Briefs all = briefs_of({quick, slow}, {}, 0), one = briefs_of({quick, slow}, {}, 1);
  EXPECT_EQ(all.shown.front().kernel, "k");
  EXPECT_EQ(all.left_out, 0u);
  ASSERT_EQ(one.shown.size(), 1u);
  EXPECT_EQ(one.shown.front().kernel, "slow");
  EXPECT_EQ(one.left_out, 1u);
  EXPECT_THAT(to_text(one), HasSubstr("1 launch profile more that takes less time"));
}

}  // namespace
}  // namespace warpledger::profile
