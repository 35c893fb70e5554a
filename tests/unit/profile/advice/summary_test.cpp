#include "warpledger/profile/advice/summary.h"

#include <gmock/gmock.h>

#include "tests/unit/profile/any_profile.h"

namespace warpledger::profile {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Profile busy_for(uint64_t PipeWork::*pipe) {
  Profile profile = testing::plain_profile();
  profile.machine.emplace().pipes.*pipe = 1 << 30;
  profile.timing = Timing{.elapsed_cycles = 1e6, .sm_hertz = 1e9};
  return profile;
}

TEST(Summary, TheVerbAgreesWithTheUnit) {
  EXPECT_THAT(busiest_units(busy_for(&PipeWork::tensor)).notes,
              Contains(HasSubstr("tensor cores are busy ")));
  EXPECT_THAT(busiest_units(busy_for(&PipeWork::fp64)).notes,
              Contains(HasSubstr("FP64 pipe is busy ")));
}

// Exact or modeled, from one place: text, Markdown, HTML and Python print what the cell says.
TEST(Summary, HitRatesAreModeled) {
  Profile profile = testing::plain_profile();
  memory::SiteCounters& load =
      testing::add_access(profile, trace::Space::kGlobal, trace::Kind::kLoad, "a");
  load.request = {.requests = 10, .lanes = 320, .sectors = 40};
  load.l1_hit_sectors = 10;
  load.l2_sectors = load.l2_hit_sectors = 30;
  testing::add_up(profile);
  int rates = 0;
  for (const Row& row : journey(profile).rows) {
    const Cell& found = row.cells.back();
    if (found.text.find('%') == std::string::npos) continue;
    EXPECT_EQ(found.fidelity, Fidelity::kModeled);
    ++rates;
  }
  EXPECT_EQ(rates, 2);
}

TEST(Summary, BytesOfSpillsAreModeled) {
  const auto of_l1 = [](bool is_spill) {
    Profile profile = testing::plain_profile();
    testing::add_access(profile, trace::Space::kLocal, trace::Kind::kLoad, "").request = {
        .requests = 10, .lanes = 320, .sectors = 40};
    profile.instructions.back().is_spill = is_spill;
    testing::add_up(profile);
    return journey(profile).rows.front().cells[1];
  };
  EXPECT_EQ(of_l1(false).fidelity, Fidelity::kExact);
  EXPECT_EQ(of_l1(true).fidelity, Fidelity::kModeled);
}

TEST(Summary, WarpStatesSayWhichWaitsTheyDoNotInclude) {
  const auto said_of = [](const char* left_out) {
    Profile profile = testing::plain_profile();
    profile.states.emplace();
    profile.no_states = left_out;
    return headline(profile);
  };
  EXPECT_THAT(said_of("mbarriers"), Contains(HasSubstr("do not include waits for mbarriers")));
  EXPECT_THAT(said_of(""), Not(Contains(HasSubstr("do not include waits"))));
}

}  // namespace
}  // namespace warpledger::profile
