#include "warpledger/profile/advice/possible_changes.h"

#include <gtest/gtest.h>

#include "tests/unit/profile/any_profile.h"

namespace warpledger::profile {
namespace {

TEST(PossibleChanges, FewerRegistersThanTheCodeHoldsAtOnceAreNotAdvised) {
  Profile profile = testing::plain_profile();
  profile.launch.registers_per_thread = profile.resources.registers = 200;
  const auto advised = [&](int64_t live) {
    profile.resources.live_registers = live;
    const Result<Advice> advice = possible_changes(profile);
    EXPECT_TRUE(advice.ok());
    return std::any_of(advice->changes.begin(), advice->changes.end(),
                       [](const Change& change) { return change.axis == SweepAxis::kRegisters; });
  };
  EXPECT_TRUE(advised(0));  // not known
  EXPECT_TRUE(advised(100));
  EXPECT_FALSE(advised(190));
}

}  // namespace
}  // namespace warpledger::profile
