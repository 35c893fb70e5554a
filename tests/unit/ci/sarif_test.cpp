#include "warpledger/ci/sarif.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/law.h"
#include "warpledger/ci/code_quality.h"
#include "warpledger/ci/summary.h"
#include "warpledger/profile/explain/rule_page.h"

namespace warpledger::ci {
namespace {

using ::testing::HasSubstr;
using warpledger::testing::Rng;
using Json = nlohmann::json;

std::vector<Annotation> any_annotations(Rng& rng) {
  std::vector<Annotation> all(static_cast<size_t>(rng.between(0, 1 + rng.size() / 10)));
  const std::vector<std::string> paths = {"k.cu", "./src/a b.cu", "/abs/ä.cu", ""};
  for (Annotation& one : all) {
    one.rule = std::string(rng.pick(profile::rule_pages()).id);
    one.level = static_cast<Level>(rng.between(0, 2));
    one.message = rng.coin() ? "words \"quoted\"\n" : "\xff broken UTF-8";
    one.path = rng.pick(paths);
    one.line = static_cast<uint32_t>(rng.between(1, 1000));
    one.subject = rng.coin() ? "k on A100" : "m on A100";
    one.saving = rng.coin() ? 0.25 : 0;
  }
  return all;
}

// What the schema of SARIF 2.1.0 requires of each object that is used here.
void expect_result(const Json& result, const Json& rules) {
  EXPECT_FALSE(result.at("message").at("text").get<std::string>().empty());
  const std::set<std::string> levels = {"none", "note", "warning", "error"};
  EXPECT_TRUE(levels.contains(result.at("level")));
  const auto index = result.at("ruleIndex").get<size_t>();
  EXPECT_EQ(rules.at(index).at("id"), result.at("ruleId"));
  const Json& place = result.at("locations").at(0).at("physicalLocation");
  EXPECT_GE(place.at("region").at("startLine").get<int>(), 1);
  const auto uri = place.at("artifactLocation").at("uri").get<std::string>();
  EXPECT_EQ(uri.find_first_of(" \"<>\\^`{|}"), std::string::npos) << uri;
}

LAW(Sarif, HasWhatTheSchemaRequires) {
  const std::vector<Annotation> all = any_annotations(rng);
  const Json log = Json::parse(to_sarif(all, "1.0"));
  EXPECT_EQ(log.at("version"), "2.1.0");
  const Json& run = log.at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "warpledger");
  const Json& rules = run.at("tool").at("driver").at("rules");
  std::set<std::string> ids;
  for (const Json& rule : rules) {
    EXPECT_TRUE(ids.insert(rule.at("id")).second);
    for (const char* text : {"shortDescription", "fullDescription", "help"})
      EXPECT_FALSE(rule.at(text).at("text").get<std::string>().empty());
  }
  EXPECT_EQ(run.at("results").size(), all.size());
  for (const Json& result : run.at("results")) expect_result(result, rules);
}

LAW(CodeQuality, HasWhatGitLabRequires) {
  const std::vector<Annotation> all = any_annotations(rng);
  const Json report = Json::parse(to_code_quality(all));
  ASSERT_EQ(report.size(), all.size());
  const std::set<std::string> severities = {"info", "minor", "major", "critical", "blocker"};
  std::set<std::string> fingerprints;
  for (const Json& one : report) {
    EXPECT_FALSE(one.at("description").get<std::string>().empty());
    EXPECT_FALSE(one.at("check_name").get<std::string>().empty());
    EXPECT_TRUE(severities.contains(one.at("severity")));
    EXPECT_TRUE(fingerprints.insert(one.at("fingerprint")).second);
    EXPECT_GE(one.at("location").at("lines").at("begin").get<int>(), 1);
    EXPECT_FALSE(one.at("location").at("path").get<std::string>().starts_with("./"));
  }
}

LAW(Fingerprints, StayWhereLinesMove) {
  std::vector<Annotation> all = any_annotations(rng);
  const std::vector<std::string> before = fingerprints_of(all);
  for (Annotation& one : all) one.line += 7;
  EXPECT_EQ(fingerprints_of(all), before);
}

TEST(Uri, EncodesWhatAPathMayHaveAndAUriMayNot) {
  EXPECT_EQ(uri_of("./src/k.cu"), "src/k.cu");
  EXPECT_EQ(uri_of("a b#c?.cu"), "a%20b%23c%3F.cu");
  EXPECT_EQ(uri_of("/src/k.cu"), "file:///src/k.cu");
}

profile::budget::Checked broken() {
  profile::budget::Checked one{.budget = "no conflicts",
                               .launch = "k on a100",
                               .limit_at = {.file = "b.toml", .line = 13},
                               .kernel_file = "dir/k.ptx"};
  one.judgment = {.state = profile::budget::State::kBroken,
                  .limit = "shared.bank_conflicts = 0",
                  .metric = "shared.bank_conflicts",
                  .value = 5};
  return one;
}

TEST(Annotations, OfABrokenLimitStandAtTheLineThatBreaksIt) {
  profile::budget::Checked one = broken();
  EXPECT_EQ(annotations_of({one}).front().path, "b.toml");
  EXPECT_EQ(annotations_of({one}).front().line, 13u);
  one.judgment.culprits = {{.where = {"k.cu", 17}}};
  const Annotation annotation = annotations_of({one}).front();
  EXPECT_EQ(annotation.path, "dir/k.cu");
  EXPECT_EQ(annotation.line, 17u);
  EXPECT_EQ(annotation.rule, "broken-limit");
}

TEST(Annotations, OfAKeptLimitAreNone) {
  profile::budget::Checked one = broken();
  one.judgment.state = profile::budget::State::kKept;
  EXPECT_TRUE(annotations_of({one}).empty());
}

TEST(Summary, OfBudgetsHasTheHeadlineAndTheBreach) {
  const std::string text = to_markdown({broken()});
  EXPECT_THAT(text, HasSubstr("### warpledger: 1 limit: 0 kept, 1 broken"));
  EXPECT_THAT(text, HasSubstr("<details>"));
}

}  // namespace
}  // namespace warpledger::ci
