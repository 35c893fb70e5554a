#include "interpose/devices.h"

#include <gtest/gtest.h>

#include <thread>

#include "interpose/memory.h"
#include "interpose/pools.h"
#include "interpose/timeline.h"

namespace warpledger::cuda {
namespace {

/// The current device is the thread's: each test leaves the first one behind.
class SeveralDevices : public ::testing::Test {
 protected:
  void TearDown() override { Devices::make_current(0); }
  Devices devices{3};
};

TEST_F(SeveralDevices, EachThreadHasItsOwnCurrentOne) {
  Devices::make_current(2);
  int there = -1;
  std::thread([&] { there = Devices::current(); }).join();
  EXPECT_EQ(there, 0);
  EXPECT_EQ(Devices::current(), 2);
}

TEST_F(SeveralDevices, PeerAccessIsOfOneDirectionAndAnswersAsCudaDoes) {
  EXPECT_EQ(devices.enable(1, 1), Error::kInvalidDevice);
  EXPECT_EQ(devices.enable(1, 3), Error::kInvalidDevice);
  EXPECT_EQ(devices.disable(1, 0), Error::kPeerNotEnabled);
  EXPECT_EQ(devices.enable(1, 0), Error::kNone);
  EXPECT_EQ(devices.enable(1, 0), Error::kPeerAlreadyEnabled);
  EXPECT_EQ(devices.disable(0, 1), Error::kPeerNotEnabled);
  EXPECT_EQ(devices.disable(1, 0), Error::kNone);
  EXPECT_EQ(devices.disable(1, 7), Error::kInvalidDevice);
  EXPECT_EQ(Devices::peer_attribute(0), std::nullopt);
}

TEST_F(SeveralDevices, ABusLeadsBackToItsDevice) {
  for (int device = 0; device < devices.count(); ++device) {
    EXPECT_EQ(devices.find_bus(Devices::bus_id(device).c_str()), device);
    for (int other = 0; other < device; ++other)
      EXPECT_NE(Devices::uuid(device), Devices::uuid(other));
  }
  EXPECT_EQ(devices.find_bus("02:00"), 1);
  EXPECT_EQ(devices.find_bus("0000:02:00"), 1);
  for (const char* id : {"", "nonsense", "0000:04:00.0", "0001:01:00.0", "0000:00:00.0", "01:01.0"})
    EXPECT_EQ(devices.find_bus(id), std::nullopt) << id;
  EXPECT_EQ(devices.find_bus(nullptr), std::nullopt);
}

TEST_F(SeveralDevices, TheirKernelsRunBesideEachOther) {
  Timeline timeline;
  Stream* first = timeline.create(kNonBlocking, 0);
  Devices::make_current(1);
  Stream* second = timeline.create(kNonBlocking, 0);
  timeline.add(*first, Lane::kKernel, 4, "work");
  timeline.add(*second, Lane::kKernel, 3, "work");
  EXPECT_DOUBLE_EQ(first->ready, 4);
  EXPECT_DOUBLE_EQ(second->ready, 3);
  timeline.synchronize(1);
  EXPECT_DOUBLE_EQ(timeline.start(*second), 3) << "the host waits for one device alone";
}

TEST_F(SeveralDevices, ADefaultStreamWaitsForItsOwnDevice) {
  Timeline timeline;
  Stream* first = timeline.create(0, 0);
  timeline.add(*first, Lane::kKernel, 4, "work");
  Devices::make_current(1);
  timeline.add(timeline.standard(), Lane::kKernel, 1, "work");
  EXPECT_DOUBLE_EQ(timeline.standard().ready, 1);
  EXPECT_TRUE(timeline.is_standard(timeline.standard()));
  EXPECT_FALSE(timeline.is_standard(*first));
  EXPECT_EQ(timeline.find(nullptr), &timeline.standard());
}

TEST_F(SeveralDevices, EachHasItsOwnMemory) {
  Memory memory(1 << 20);
  if (!memory.allocate(1 << 20, MemoryKind::kDevice)) GTEST_SKIP() << "the addresses are taken";
  EXPECT_FALSE(memory.allocate(1, MemoryKind::kDevice).ok());
  Devices::make_current(1);
  const Result<uint64_t> there = memory.allocate(512, MemoryKind::kDevice);
  ASSERT_TRUE(there.ok());
  EXPECT_EQ(memory.holding(*there)->device, 1);
  EXPECT_EQ(memory.bytes_in_use(), (1 << 20) + 512);
  Devices::make_current(0);
  EXPECT_TRUE(memory.release(*there, false).ok());
  EXPECT_EQ(memory.bytes_in_use(), 1 << 20);
}

TEST_F(SeveralDevices, APoolThatIsDestroyedGivesWayOnEveryDevice) {
  Pools pools;
  const Place here{MemoryKind::kDevice, 0}, there{MemoryKind::kDevice, 1};
  Pool* made = pools.create(there, 0);
  EXPECT_EQ(made->place(), there);
  pools.make_current(there, *made);
  EXPECT_EQ(&pools.current(there), made);
  EXPECT_EQ(&pools.current(here), &pools.standard(here));
  EXPECT_TRUE(pools.destroy(made));
  EXPECT_EQ(&pools.current(there), &pools.standard(there));
  EXPECT_FALSE(pools.destroy(&pools.standard(there)));
}

}  // namespace
}  // namespace warpledger::cuda
