#include "warpledger/profile/metrics/explain.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <set>

#include "tests/support/source.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/base/file.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/time/model.h"

namespace warpledger::profile {
namespace {

using testing::add_access;
using testing::any_profile;
using ::testing::HasSubstr;
using testing::plain_profile;

/// Every name of the catalog, every counter with each of its roll-ups.
std::vector<std::string> all_metrics() {
  std::vector<std::string> names;
  for (const Single& single : catalog().singles) names.push_back(single.name);
  for (const Counter& counter : catalog().counters) {
    for (const char* rollup :
         {"sum", "avg", "sum.per_second", "avg.per_cycle_active", "sum.per_cycle_elapsed",
          "avg.pct_of_peak_sustained_elapsed", "avg.pct_of_peak_sustained_active"})
      names.push_back(counter.base + "." + rollup);
  }
  return names;
}

Profile timed_profile(warpledger::testing::Rng& rng) {
  Profile profile = any_profile(rng);
  profile.timing = time::estimate({profile, profile.counters});
  return profile;
}

LAW_ROUNDS(Explain, EveryMetricHasAFormulaItsValueAndARule, 5) {
  const Profile profile = timed_profile(rng);
  for (const std::string& name : all_metrics()) {
    const Result<Explanation> made = explain(profile, name);
    ASSERT_TRUE(made.ok()) << name;
    EXPECT_EQ(made->value, answer(name, profile).value) << name;
    ASSERT_FALSE(made->formulas.empty()) << name;
    EXPECT_EQ(made->formulas[0].name, name);
    EXPECT_FALSE(made->formulas[0].formula.empty()) << name;
    EXPECT_FALSE(made->inputs.empty()) << name;
    EXPECT_NE(made->rule, nullptr) << name;
  }
}

LAW_ROUNDS(Explain, InstructionsAndWhatIsNonesAddUpToEachCounter, 10) {
  const Profile profile = timed_profile(rng);
  for (const std::string& name : all_metrics()) {
    const Explanation made = *explain(profile, name);
    size_t column = 0;
    for (const ExplainedInput& input : made.inputs) {
      if (!input.is_fed) continue;
      double sum = 0;
      for (const Feeder& feeder : made.feeders) sum += feeder.added[column];
      EXPECT_DOUBLE_EQ(sum, *input.value.number()) << name << ": " << input.name;
      ++column;
    }
  }
}

LAW_ROUNDS(Explain, ARatioOnAllCountsIsTheMetric, 10) {
  const Profile profile = timed_profile(rng);
  const Explanation made = *explain(profile, "l1tex__t_sector_hit_rate.pct");
  ASSERT_TRUE(made.alone);
  std::vector<double> all;
  for (const ExplainedInput& input : made.inputs) all.push_back(*input.value.number());
  EXPECT_EQ(made.alone(all).number(), made.value.number());
}

TEST(Explain, AHitRateNamesItsCountersAndItsLines) {
  Profile profile = plain_profile();
  memory::SiteCounters& one = add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad);
  one.request.sectors = 100;
  one.l1_hit_sectors = 75;
  memory::SiteCounters& two = add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad);
  two.request.sectors = 300;
  testing::add_up(profile);
  const Explanation made = *explain(profile, "l1tex__t_sector_hit_rate.pct");
  EXPECT_EQ(made.formulas[0].formula,
            "100 x l1tex__t_sectors_lookup_hit.sum / l1tex__t_sectors.sum");
  ASSERT_EQ(made.feeders.size(), 2u);
  EXPECT_EQ(made.feeders[0].added, (std::vector<double>{75, 100}));
  EXPECT_EQ(made.alone(made.feeders[0].added).number(), 75.0);
  EXPECT_EQ(made.value.number(), 18.75);
}

TEST(Explain, WhatNoInstructionAddedHasARowOfItsOwn) {
  Profile profile = plain_profile();
  profile.execution.shuffles = 5;
  add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad).request.instructions = 3;
  testing::add_up(profile);
  const Explanation made = *explain(profile, "l1tex__lsuin_requests.sum");
  ASSERT_EQ(made.feeders.size(), 2u);
  EXPECT_EQ(made.feeders[1].added, std::vector<double>{5});
  EXPECT_THAT(made.feeders[1].words, HasSubstr("shuffles"));
}

TEST(Explain, AThroughputIsTheBusiestUnitAndExplainsThatOne) {
  warpledger::testing::Rng rng(1, 20);
  const Profile profile = timed_profile(rng);
  const std::string name = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
  const Explanation made = *explain(profile, name);
  double most = 0;
  for (size_t i = 1; i < made.formulas.size(); ++i) {
    if (made.formulas[i].name.find("pct_of_peak") != std::string::npos)
      most = std::max(most, made.formulas[i].value.number().value_or(0));
  }
  EXPECT_EQ(made.value.number(), most);
}

TEST(Explain, AnUnknownNameIsRefused) {
  EXPECT_EQ(explain(plain_profile(), "dram__bytes_raed.sum").error().code, "unknown-metric");
}

TEST(Rules, StandInTheDocumentWordByWord) {
  const std::string text = read_file(test::source_path("docs/memory-model.md")).value();
  for (const Rule& rule : rules()) {
    EXPECT_THAT(text, HasSubstr(fmt::format("| {} |", rule.text)));
    EXPECT_THAT(text, HasSubstr(fmt::format("| {} |", rule.source)));
  }
}

TEST(Rules, EachIsSomeMetrics) {
  std::set<const Rule*> used;
  for (const std::string& name : all_metrics()) used.insert(find_rule(name));
  for (const Rule& rule : rules()) EXPECT_TRUE(used.contains(&rule)) << rule.text;
}

TEST(Rules, ArePlainWithoutLinksAndCode) {
  EXPECT_EQ(plain("units ([profile.md](profile.md#time)) of `l1.h`"), "units (profile.md) of l1.h");
}

/// The row that tools/validate writes of an error.
std::string row_of(const MetricError& error) {
  const char* unit = error.is_points ? "p" : "%";
  return fmt::format("| `{}` | {} | {} | {:.2f} {} | {:.2f} {} |", error.metric, error.values,
                     error.equal, error.median, unit, error.high, unit);
}

TEST(ValidationErrors, AreThoseOfTheDocument) {
  const std::string text = read_file(test::source_path("docs/validation.md")).value();
  const size_t begin = text.find("<!-- computed: metrics -->");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = text.substr(begin, text.find("<!-- end -->", begin) - begin);
  for (const MetricError& error : metric_errors()) EXPECT_THAT(table, HasSubstr(row_of(error)));
  const auto rows = static_cast<size_t>(std::count(table.begin(), table.end(), '\n')) - 3;
  EXPECT_EQ(rows, metric_errors().size());
}

}  // namespace
}  // namespace warpledger::profile
