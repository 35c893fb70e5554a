#include "warpledger/profile/metrics/ledger.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"
#include "warpledger/profile/value/evidence.h"

namespace warpledger::profile {
namespace {

using testing::any_profile;

Amount total_of(const Ledger& ledger, Edge edge) {
  const auto totals = edge_totals(ledger);
  const auto found = totals.find(edge);
  return found == totals.end() ? Amount(0) : found->second.value;
}

Amount sectors(uint64_t n) { return Amount(static_cast<int64_t>(32 * n)); }

LAW(ProfileLedger, RowsAddUpToTheCounters) {
  const Profile profile = any_profile(rng);
  const Ledger ledger = ledger_of(profile);
  const L2Work work = l2_work({profile, profile.counters});
  EXPECT_EQ(total_of(ledger, {Level::kDram, Level::kL2}),
            sectors(profile.counters.dram.read_sectors));
  EXPECT_EQ(total_of(ledger, {Level::kL2, Level::kDram}),
            sectors(profile.counters.dram.write_sectors));
  EXPECT_EQ(total_of(ledger, {Level::kL2, Level::kL1}), sectors(work.reads.l2_sectors));
  EXPECT_EQ(total_of(ledger, {Level::kL1, Level::kL2}),
            sectors(work.total().l2_sectors - work.reads.l2_sectors));
}

TEST(ProfileLedger, NamesArraysAndOpcodes) {
  Profile profile = testing::plain_profile();
  memory::SiteCounters& load =
      testing::add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad, "A");
  load.request = {.instructions = 1, .requests = 1, .lanes = 32};
  const Ledger ledger = ledger_of(profile);
  ASSERT_EQ(ledger.rows.size(), 1u);
  EXPECT_EQ(ledger.rows[0].operation, "ld.global.f32");
  EXPECT_EQ(ledger.rows[0].subject, "A");
  EXPECT_EQ(ledger.rows[0].total().value, Amount(128));
}

}  // namespace
}  // namespace warpledger::profile
