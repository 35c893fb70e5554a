#include "warpledger/compare/kind.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/compare/metrics.h"
#include "warpledger/profile/file/report_file.h"

namespace warpledger::match {
namespace {

TEST(Kind, IsReadFromTheText) {
  EXPECT_EQ(kind_of(Source("a", "# a plan\n\nprogram f\n")), Kind::kPlan);
  EXPECT_EQ(kind_of(Source("a", " {\"schema_version\": 1, \"rows\": []}")), Kind::kLedger);
  EXPECT_EQ(kind_of(Source("a", "{\"command\": \"profile\"}")), Kind::kProfile);
  EXPECT_EQ(kind_of(Source("a", "{\"command\": \"report\"}")), Kind::kProfile);
  EXPECT_EQ(kind_of(Source("a", "metric,unit,value\n")), Kind::kHardware);
  EXPECT_EQ(kind_of(Source("a", "")), Kind::kHardware);
}

TEST(Kind, LaunchesAreChosenByName) {
  std::vector<profile::Profile> two = {profile::testing::plain_profile(),
                                       profile::testing::plain_profile()};
  two[1].kernel = "other";
  const Source report("r", profile::to_report(two));
  EXPECT_EQ(chosen_profiles(report, "")->size(), 2u);
  ASSERT_EQ(chosen_profiles(report, "other")->size(), 1u);
  EXPECT_EQ(chosen_profiles(report, "none").error().code, "unknown-kernel");
}

TEST(Metrics, AReportAgreesWithItself) {
  const Source text("r", "metric,unit,value\ndram__bytes_read.sum,byte,100\n");
  const auto made = compare_metrics({text, text, "", false});
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->table.rows.size(), 1u);
  EXPECT_EQ(std::get<double>(made->table.rows[0].cells[4].raw), 0.0);
}

}  // namespace
}  // namespace warpledger::match
