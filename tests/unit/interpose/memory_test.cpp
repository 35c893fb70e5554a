// Memory that a graph holds, and how much is promised.
#include "interpose/memory.h"

#include <gtest/gtest.h>

#include "interpose/host_memory.h"
#include "interpose/settings.h"
#include "interpose/settings_file.h"

namespace warpledger::cuda {
namespace {

constexpr uint64_t kMib = uint64_t{1} << 20;

// A Memory takes the device's own addresses, which the address sanitizer has for itself.
class HeldMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!memory.allocate(1, MemoryKind::kDevice))
      GTEST_SKIP() << "the device's addresses are taken";
  }
  Memory memory{64 * kMib};
};

TEST_F(HeldMemory, WhatIsHeldOutlivesItsRelease) {
  const uint64_t before = memory.bytes_in_use();
  const uint64_t address = *memory.allocate(kMib, MemoryKind::kDevice);
  std::shared_ptr<void> graph = memory.hold(address), copy = graph;
  EXPECT_TRUE(memory.release(address, false).ok());
  EXPECT_TRUE(memory.holding(address).has_value());
  EXPECT_FALSE(memory.release(address, false).ok()) << "freed twice";
  graph.reset();
  EXPECT_TRUE(memory.holding(address).has_value());
  copy.reset();
  EXPECT_FALSE(memory.holding(address).has_value());
  EXPECT_EQ(memory.bytes_in_use(), before);
}

TEST_F(HeldMemory, WhatWasHeldAndNotReleasedStays) {
  const uint64_t address = *memory.allocate(kMib, MemoryKind::kDevice);
  memory.hold(address).reset();
  EXPECT_TRUE(memory.holding(address).has_value());
  EXPECT_TRUE(memory.release(address, false).ok());
  EXPECT_FALSE(memory.holding(address).has_value());
}

TEST(Memory, NoMoreIsPromisedThanTheHostHas) {
  const Memory memory(uint64_t{1} << 50);
  EXPECT_LE(memory.bytes_free(), available_host_bytes() + 1024 * kMib);
  const Result<Settings> settings = settings_of(SettingsFile{});
  ASSERT_TRUE(settings.ok());
  EXPECT_LE(settings->memory_bytes, kAssumedMemory);
}

}  // namespace
}  // namespace warpledger::cuda
