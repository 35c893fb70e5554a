#include "warpledger/profile/advice/overview.h"

#include <gmock/gmock.h>

#include "tests/unit/profile/any_profile.h"

namespace warpledger::profile {
namespace {

/// Of so many cycles at 1 GHz: as many nanoseconds.
Profile taking(const char* kernel, double cycles, uint64_t launches) {
  Profile profile = testing::plain_profile();
  profile.kernel = kernel;
  profile.timing = Timing{.elapsed_cycles = cycles, .sm_hertz = 1e9};
  for (uint64_t i = 0; i < launches; ++i) profile.launches.add(i);
  return profile;
}

TEST(Overview, TheKernelThatTakesMostInAllComesFirst) {
  const Table table = overview({taking("seldom", 4000, 1), taking("often", 100, 100)});
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].cells[0].text, "often");
  EXPECT_EQ(table.rows[0].cells[1].text, "100");
  EXPECT_EQ(table.rows[0].cells[2].text, "10.00 us");
  EXPECT_EQ(table.rows[1].cells[3].text, "28.6 %");
}

TEST(Overview, ProfilesOfOneKernelAreOneRow) {
  const Table table = overview({taking("k", 1000, 2), taking("k", 3000, 1)});
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.rows[0].cells[1].text, "3");
  EXPECT_EQ(table.rows[0].cells[2].text, "5.00 us");
}

TEST(Overview, AKernelWithoutATimeHasNoShare) {
  Profile without = taking("unknown", 1, 1);
  without.timing.reset();
  const Table table = overview({without, taking("k", 10, 1)});
  EXPECT_EQ(table.rows[1].cells[0].text, "unknown");
  EXPECT_EQ(table.rows[1].cells[2].text, "-");
  EXPECT_EQ(table.rows[0].cells[3].text, "100.0 %");
}

LAW(Overview, LaunchesAddUpAndSharesAreOne) {
  std::vector<Profile> profiles;
  int64_t launches = 0;
  for (int i = 0; i <= rng.size() % 8; ++i) {
    const int64_t count = rng.between(1, 5);
    const std::string name = "k" + std::to_string(rng.between(0, 3));
    profiles.push_back(taking(name.c_str(), static_cast<double>(rng.between(1, 1000)),
                              static_cast<uint64_t>(count)));
    launches += count;
  }
  double share = 0;
  for (const Row& row : overview(profiles).rows) {
    launches -= std::get<int64_t>(row.cells[1].raw);
    share += std::get<double>(row.cells[3].raw);
  }
  EXPECT_EQ(launches, 0);
  EXPECT_NEAR(share, 1, 1e-9);
}

}  // namespace
}  // namespace warpledger::profile
