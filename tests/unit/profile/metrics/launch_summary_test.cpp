#include "warpledger/profile/metrics/launch_summary.h"

#include <gmock/gmock.h>

#include "tests/unit/profile/any_profile.h"

namespace warpledger::profile {
namespace {

using ::testing::HasSubstr;

Profile taking(const char* kernel, double cycles, uint64_t launches) {
  Profile profile = testing::plain_profile();
  profile.kernel = kernel;
  profile.timing = Timing{.elapsed_cycles = cycles, .sm_hertz = 1e9};
  for (uint64_t i = 0; i < launches; ++i) profile.launches.add(i);
  return profile;
}

const std::vector<Section> kDuration = {{"Asked", {{"Duration", "gpu__time_duration.sum"}}}};

std::vector<std::string> cells(const Row& row) {
  std::vector<std::string> texts;
  for (const Cell& cell : row.cells) texts.push_back(cell.text);
  return texts;
}

TEST(LaunchSummary, HasLeastMostAndMeanOverAllLaunches) {
  const auto made =
      summaries({taking("k", 1000, 3), taking("k", 5000, 1)}, kDuration, Units::kAuto);
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].invocations, 4u);
  EXPECT_EQ(made[0].kernel, "k (64, 1, 1)x(256, 1, 1)");
  ASSERT_EQ(made[0].sections[0].rows.size(), 1u);
  EXPECT_EQ(cells(made[0].sections[0].rows[0]),
            (std::vector<std::string>{"Duration", "us", "1.00", "5.00", "2.00", "modeled"}));
}

TEST(LaunchSummary, AnotherGridIsAnotherKernel) {
  Profile other = taking("k", 1000, 1);
  other.launch.grid = {1, 1, 1};
  EXPECT_EQ(
      summaries({taking("k", 1, 1), other, taking("j", 1, 1)}, kDuration, Units::kAuto).size(), 3u);
}

TEST(LaunchSummary, WhatOneLaunchLacksIsLeftOut) {
  Profile without = taking("k", 1, 1);
  without.timing.reset();
  const auto made = summaries({taking("k", 1, 1), without}, kDuration, Units::kBase);
  EXPECT_TRUE(made[0].sections[0].rows.empty());
}

TEST(LaunchSummary, CsvHasNcusColumns) {
  const std::string csv = summary_csv({taking("k", 1500, 2)}, kDuration, Units::kBase);
  EXPECT_THAT(csv,
              HasSubstr(R"("Invocations","Section Name","Metric Name","Metric Unit","Minimum")"));
  EXPECT_THAT(csv, HasSubstr(R"("8.6","2","Asked","Duration","ns","1500.00","1500.00","1500.00")"));
  EXPECT_EQ(summary_csv({}, kDuration, Units::kBase), "");
}

LAW(LaunchSummary, TheMeanLiesBetween) {
  std::vector<Profile> launches;
  for (int64_t i = rng.between(1, 6); i > 0; --i)
    launches.push_back(taking("k", static_cast<double>(rng.between(1, 999)),
                              static_cast<uint64_t>(rng.between(1, 5))));
  const Row row = summaries(launches, kDuration, Units::kBase)[0].sections[0].rows[0];
  const auto number = [&](size_t at) { return std::get<double>(row.cells[at].raw); };
  EXPECT_LE(number(2), number(4) * (1 + 1e-12));
  EXPECT_LE(number(4), number(3) * (1 + 1e-12));
}

}  // namespace
}  // namespace warpledger::profile
