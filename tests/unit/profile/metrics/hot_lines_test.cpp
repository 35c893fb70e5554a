#include "warpledger/profile/metrics/hot_lines.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {
namespace {

int64_t number(const Row& row, size_t at) { return std::get<int64_t>(row.cells[at].raw); }

TEST(HotLines, NothingWastedIsNoTable) { EXPECT_TRUE(hot_lines(testing::plain_profile()).empty()); }

LAW(HotLines, LinesAreInOrderAndPartsOfNcusMetric) {
  const Profile profile = testing::any_profile(rng);
  for (const Table& table : hot_lines(profile)) {
    const bool shared = table.title == "L1 Wavefronts Shared Excessive";
    const Value all = answer(shared ? "derived__memory_l1_wavefronts_shared_excessive"
                                    : "derived__memory_l2_theoretical_sectors_global_excessive",
                             profile)
                          .value;
    double sum = 0;
    ASSERT_LE(table.rows.size(), 10u);
    for (size_t i = 0; i < table.rows.size(); ++i) {
      sum += static_cast<double>(number(table.rows[i], 2));
      EXPECT_LE(number(table.rows[i], 2), number(table.rows[i], 3));
      if (i > 0) {
        EXPECT_LE(number(table.rows[i], 2), number(table.rows[i - 1], 2));
      }
    }
    EXPECT_LE(sum, *all.number() + 0.5);
    if (table.notes.empty()) {
      EXPECT_NEAR(sum, *all.number(), 0.5);
    }
  }
}

}  // namespace
}  // namespace warpledger::profile
