#include "warpledger/profile/summary.h"

#include <gmock/gmock.h>

#include "tests/profile/any_profile.h"

namespace warpledger::profile {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

Profile busy_for(uint64_t PipeWork::*pipe) {
  Profile profile = testing::plain_profile();
  profile.machine.emplace().pipes.*pipe = 1 << 30;
  profile.timing = Timing{.elapsed_cycles = 1e6, .sm_hertz = 1e9};
  return profile;
}

TEST(Summary, TheVerbAgreesWithTheUnit) {
  EXPECT_THAT(busiest_units(busy_for(&PipeWork::tensor)).notes,
              Contains(HasSubstr("the tensor cores work for ")));
  EXPECT_THAT(busiest_units(busy_for(&PipeWork::fp64)).notes,
              Contains(HasSubstr("the FP64 pipe works for ")));
}

}  // namespace
}  // namespace warpledger::profile
