// Pools, virtual memory and arrays over the device's memory.
#include "interpose/virtual_memory.h"

#include <gtest/gtest.h>

#include <cstring>

#include "interpose/arrays.h"
#include "interpose/pools.h"

namespace warpledger::cuda {
namespace {

// One at a time: a Memory takes the device's own addresses (which the address sanitizer has for
// itself).
class MemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto probe = memory_.allocate(1, MemoryKind::kDevice);
    if (!probe) GTEST_SKIP() << "the device's addresses are taken";
    ASSERT_TRUE(memory_.release(*probe, false).ok());
  }
  char* bytes(uint64_t address) { return reinterpret_cast<char*>(address); }
  Memory memory_{uint64_t{64} << 20};
};

TEST_F(MemoryTest, APoolCountsWhatLivesOfIt) {
  Pools pools;
  Pool& pool = pools.standard({});
  const uint64_t a = *memory_.allocate(100, MemoryKind::kDevice);
  pool.add(a, 100);
  EXPECT_EQ(pool.get(memory_, PoolAttribute::kUsedNow), 100u);
  ASSERT_TRUE(memory_.release(a, false).ok());
  EXPECT_EQ(pool.get(memory_, PoolAttribute::kUsedNow), 0u);
  EXPECT_EQ(pool.get(memory_, PoolAttribute::kUsedHigh), 100u);
  EXPECT_TRUE(pool.set(PoolAttribute::kUsedHigh, 0));
  EXPECT_FALSE(pool.set(PoolAttribute::kUsedNow, 0));
}

TEST_F(MemoryTest, APoolWithALimitKeepsToIt) {
  Pools pools;
  Pool* pool = pools.create({}, 1000);
  EXPECT_TRUE(pool->has_room(memory_, 1000));
  EXPECT_FALSE(pool->has_room(memory_, 1001));
  EXPECT_TRUE(pools.destroy(pool));
  EXPECT_FALSE(pools.destroy(&pools.standard({})));
}

TEST_F(MemoryTest, MappedNeighborsAreOneAllocation) {
  VirtualMemory virtual_memory(memory_);
  const uint64_t at = *virtual_memory.reserve(2 * kGranularity, 0);
  for (uint64_t i = 0; i < 2; ++i)
    ASSERT_TRUE(virtual_memory
                    .map(at + i * kGranularity, kGranularity, *virtual_memory.create(kGranularity))
                    .ok());
  EXPECT_FALSE(memory_.check(at, 4).ok());  // before access is granted
  ASSERT_TRUE(virtual_memory.set_access(at, 2 * kGranularity, true).ok());
  EXPECT_TRUE(memory_.check(at, 2 * kGranularity).ok());
  EXPECT_FALSE(memory_.release(at, false).ok());
  ASSERT_TRUE(virtual_memory.unmap(at + kGranularity, kGranularity).ok());
  EXPECT_TRUE(memory_.check(at, kGranularity).ok());
  EXPECT_FALSE(memory_.check(at, kGranularity + 1).ok());
}

TEST_F(MemoryTest, OneMemoryAppearsAtTwoAddresses) {
  VirtualMemory virtual_memory(memory_);
  const uint64_t a = *virtual_memory.reserve(kGranularity, 0);
  const uint64_t b = *virtual_memory.reserve(kGranularity, 0);
  const uint64_t piece = *virtual_memory.create(kGranularity, 0);
  ASSERT_TRUE(virtual_memory.map(a, kGranularity, piece).ok());
  ASSERT_TRUE(virtual_memory.map(b, kGranularity, piece).ok());
  *bytes(a) = 42;
  EXPECT_EQ(*bytes(b), 42);
  ASSERT_TRUE(virtual_memory.release(piece).ok());
  ASSERT_TRUE(virtual_memory.unmap(a, kGranularity).ok());
  EXPECT_EQ(*bytes(b), 42);  // alive as long as it is mapped
  EXPECT_EQ(memory_.bytes_in_use(), kGranularity);
  ASSERT_TRUE(virtual_memory.unmap(b, kGranularity).ok());
  EXPECT_EQ(memory_.bytes_in_use(), 0u);
}

TEST_F(MemoryTest, RefusesMappingsThatOverlapOrAreNotReserved) {
  VirtualMemory virtual_memory(memory_);
  const uint64_t at = *virtual_memory.reserve(kGranularity, 0);
  const uint64_t piece = *virtual_memory.create(kGranularity, 0);
  EXPECT_FALSE(virtual_memory.map(at + kGranularity, kGranularity, piece).ok());
  ASSERT_TRUE(virtual_memory.map(at, kGranularity, piece).ok());
  EXPECT_FALSE(virtual_memory.map(at, kGranularity, piece).ok());
  EXPECT_FALSE(virtual_memory.free_addresses(at, kGranularity).ok());
  EXPECT_FALSE(virtual_memory.create(kGranularity + 1).ok());
}

TEST_F(MemoryTest, AnArrayRefusesBoxesThatReachOutside) {
  Arrays arrays(memory_);
  const auto made = arrays.create({.width = 8, .height = 4});
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(Arrays::box_of(**made, 0, 0, 0, 32, 4, 1).has_value());
  EXPECT_FALSE(Arrays::box_of(**made, 4, 0, 0, 32, 4, 1).has_value());
  EXPECT_FALSE(Arrays::box_of(**made, 0, 1, 0, 32, 4, 1).has_value());
  EXPECT_TRUE(arrays.destroy(*made));
  EXPECT_EQ(memory_.bytes_in_use(), 0u);
}

TEST_F(MemoryTest, LevelsOfAnArrayAreArrays) {
  Arrays arrays(memory_);
  Array* array = *arrays.create({.width = 8, .height = 4, .levels = 100});
  EXPECT_EQ(array->shape.levels, 4u);
  Array* level = arrays.level(*array, 2);
  ASSERT_NE(level, nullptr);
  EXPECT_EQ(level->shape.width, 2u);
  EXPECT_EQ(arrays.find(level), level);
  EXPECT_EQ(arrays.level(*array, 4), nullptr);
  EXPECT_FALSE(arrays.create({.width = 8, .height = 8, .depth = 6, .flags = kCubemap}).ok());
}

}  // namespace
}  // namespace warpledger::cuda
