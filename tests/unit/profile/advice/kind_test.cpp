#include "warpledger/profile/advice/kind.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "tests/support/source.h"
#include "tests/unit/profile/any_profile.h"
#include "warpledger/base/file.h"

namespace warpledger::profile {
namespace {

using testing::add_access;
using testing::add_up;
using testing::any_profile;
using ::testing::HasSubstr;
using testing::plain_profile;

constexpr double kLong = 1e6;  // cycles

Profile with_time(double cycles) {
  Profile profile = plain_profile("a100");
  profile.timing.emplace();
  profile.timing->elapsed_cycles = cycles;
  return profile;
}

LaunchKind kind_of(const Profile& profile) { return profile::kind_of({profile, profile.counters}); }

LAW(LaunchKind, HasAName) {
  Profile profile = any_profile(rng);
  profile.timing.emplace();
  profile.timing->elapsed_cycles = static_cast<double>(rng.between(1, 10'000'000));
  EXPECT_FALSE(to_text(kind_of(profile)).empty());
}

TEST(LaunchKind, IsShortBelowTwentyThousandCycles) {
  EXPECT_EQ(kind_of(with_time(19'999)), LaunchKind::kShort);
  EXPECT_NE(kind_of(with_time(20'000)), LaunchKind::kShort);
}

TEST(LaunchKind, IsDramBoundWhereDramIsBusyForMostOfIt) {
  Profile profile = with_time(kLong);
  profile.counters.dram.read_sectors = 100'000'000;  // 3.2 GB at 1.4 TB/s: over 2 million cycles
  EXPECT_EQ(kind_of(profile), LaunchKind::kDram);
}

TEST(LaunchKind, IsLatencyBoundWhereNothingIsBusy) {
  Profile profile = with_time(kLong);
  profile.counters.dram.read_sectors = 1'000;
  EXPECT_EQ(kind_of(profile), LaunchKind::kLatency);
}

TEST(LaunchKind, IsL1BoundByWavefrontsOfSharedMemory) {
  Profile profile = with_time(kLong);
  memory::SiteCounters& c = add_access(profile, trace::Space::kShared, trace::Kind::kLoad);
  c.request = {.instructions = 10'000'000, .requests = 10'000'000, .data_wavefronts = 320'000'000};
  add_up(profile);
  EXPECT_EQ(kind_of(profile), LaunchKind::kL1);
}

/// The row that tools/validate writes of a kind begins so.
std::string row_of(const KindError& error) {
  return fmt::format("| {} | {} | {:+.1f} % |", error.kind, error.reports, error.shift);
}

TEST(KindErrors, AreThoseOfTheDocument) {
  const std::string text = read_file(test::source_path("docs/validation.md")).value();
  const size_t begin = text.find("<!-- computed: kinds -->");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = text.substr(begin, text.find("<!-- end -->", begin) - begin);
  for (const KindError& error : kind_errors()) EXPECT_THAT(table, HasSubstr(row_of(error)));
}

TEST(KindErrors, SayWhichWayTheyGo) {
  const KindError error{
      .kind = "DRAM-bound", .reports = 34, .shift = -2.1, .spread = 4, .median = 4.4, .high = 12};
  EXPECT_EQ(to_text(error),
            "DRAM-bound launches: 2.1 % too short in the median of 34 published reports, 90th "
            "percentile of the error 12.0 %");
}

}  // namespace
}  // namespace warpledger::profile
