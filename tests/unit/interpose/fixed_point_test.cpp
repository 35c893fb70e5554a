// When a launch need not run again.
#include "interpose/fixed_point.h"

#include <gtest/gtest.h>

#include "interpose/repeats.h"

namespace warpledger::cuda {
namespace {

class FixedPointTest : public ::testing::Test {
 protected:
  uint64_t allocate(uint64_t bytes) { return *memory_.allocate(bytes, "test"); }
  void write(uint64_t address, int value) {
    *memory_.find(address, 1) = static_cast<std::byte>(value);
  }
  /// A launch that leaves memory as it is.
  void run(const LaunchGroup& group, std::span<const std::byte> params) {
    ASSERT_FALSE(point_.begin(group, params));
    EXPECT_TRUE(point_.end(group, params));
  }

  exec::DeviceMemory memory_;
  FixedPoint point_{memory_};
  LaunchGroup group_, other_;
  const std::vector<std::byte> params_ = {std::byte{1}}, others_ = {std::byte{2}};
};

TEST_F(FixedPointTest, ALaunchThatChangedNothingIsKnown) {
  allocate(64);
  run(group_, params_);
  EXPECT_TRUE(point_.begin(group_, params_));
}

TEST_F(FixedPointTest, ALaunchThatChangedMemoryIsNot) {
  const uint64_t at = allocate(64);
  ASSERT_FALSE(point_.begin(group_, params_));
  write(at, 1);
  EXPECT_FALSE(point_.end(group_, params_));
  EXPECT_FALSE(point_.begin(group_, params_));
}

TEST_F(FixedPointTest, OtherParametersAndOtherShapesAreOtherLaunches) {
  allocate(64);
  run(group_, params_);
  EXPECT_FALSE(point_.begin(group_, others_));
  EXPECT_FALSE(point_.begin(other_, params_));
}

TEST_F(FixedPointTest, SeveralLaunchesMayLeaveTheSameMemory) {
  allocate(64);
  run(group_, params_);
  run(other_, params_);
  EXPECT_TRUE(point_.begin(group_, params_));
  EXPECT_TRUE(point_.begin(other_, params_));
}

TEST_F(FixedPointTest, AByteThatTheHostWroteBringsTheLaunchBack) {
  const uint64_t at = allocate(64);
  run(group_, params_);
  write(at + 63, 1);
  EXPECT_FALSE(point_.begin(group_, params_));
}

TEST_F(FixedPointTest, AnAllocationMoreOrLessBringsTheLaunchBack) {
  const uint64_t first = allocate(64);
  run(group_, params_);
  allocate(8);
  EXPECT_FALSE(point_.begin(group_, params_));
  EXPECT_TRUE(point_.end(group_, params_));
  ASSERT_TRUE(memory_.free(first).ok());
  EXPECT_FALSE(point_.begin(group_, params_));
}

}  // namespace
}  // namespace warpledger::cuda
