#include "warpledger/gpu/own_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "warpledger/gpu/assumed.h"

namespace warpledger {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kQuery = R"(CUDA Device Query (Runtime API)
Detected 2 CUDA Capable device(s)

Device 0: "NVIDIA GeForce RTX 4070 Ti"
  CUDA Driver Version / Runtime Version          12.4 / 12.4
  CUDA Capability Major/Minor version number:    8.9
  Total amount of global memory:                 11994 MBytes (12576620544 bytes)
  (060) Multiprocessors, (128) CUDA Cores/MP:    7680 CUDA Cores
  GPU Max Clock rate:                            2610 MHz (2.61 GHz)
  Memory Clock rate:                             10501 Mhz
  Memory Bus Width:                              192-bit
  L2 Cache Size:                                 50331648 bytes

Device 1: "NVIDIA T4"
  CUDA Capability Major/Minor version number:    7.5
  (040) Multiprocessors, (064) CUDA Cores/MP:    2560 CUDA Cores
)";

DeviceDescription described() { return *parse_device_query(Source("card.txt", kQuery)); }

TEST(DeviceQuery, ReadsTheFirstDevice) {
  const DeviceDescription device = described();
  EXPECT_EQ(device.name, "NVIDIA GeForce RTX 4070 Ti");
  EXPECT_EQ(device.major, 8);
  EXPECT_EQ(device.minor, 9);
  EXPECT_EQ(device.sms, 60);
  EXPECT_EQ(device.boost_mhz, 2610);
  EXPECT_EQ(device.dram_mhz, 10501);
  EXPECT_EQ(device.bus_bits, 192);
  EXPECT_EQ(device.l2_bytes, 50331648);
}

TEST(DeviceQuery, RefusesAnotherText) {
  const auto device = parse_device_query(Source("card.txt", "GPU 0: NVIDIA T4 (UUID: x)\n"));
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().code, "bad-device-query");
}

TEST(OwnGpu, WhatIsDescribedIsMeasured) {
  const Gpu gpu = own_gpu(described(), "")->gpu;
  EXPECT_EQ(gpu.sms.value, 60);
  EXPECT_EQ(gpu.sms.fidelity, Fidelity::kMeasured);
  EXPECT_EQ(gpu.sms.source, "deviceQuery (card.txt)");
  EXPECT_EQ(gpu.l2.bytes->value, 50331648);
  EXPECT_DOUBLE_EQ(gpu.dram.peak_gbs->value, 504.048);
}

TEST(OwnGpu, TheRestIsAssumedFromASiblingOfItsArchitecture) {
  const OwnGpu own = *own_gpu(described(), "");
  EXPECT_EQ(own.sibling.architecture.id, "sm_89");
  EXPECT_EQ(own.gpu.latency.dram_cycles->value, own.sibling.latency.dram_cycles->value);
  EXPECT_EQ(own.gpu.latency.dram_cycles->fidelity, Fidelity::kAssumed);
  EXPECT_THAT(own.gpu.latency.dram_cycles->source, HasSubstr(own.sibling.name));
  EXPECT_EQ(own.gpu.clocks.base_mhz->fidelity, Fidelity::kAssumed);
}

TEST(OwnGpu, SlicesFollowFromTheSiblingsBytesASlice) {
  const OwnGpu own = *own_gpu(described(), "rtx4090");
  EXPECT_EQ(own.gpu.l2.slices->value, 24);
  EXPECT_EQ(own.gpu.l2.slices->source, "2048 KiB a slice, as GeForce RTX 4090");
}

TEST(OwnGpu, ItsFileReadsBackEqual) {
  for (const Gpu& sibling : all_gpus()) {
    const auto back = parse_gpu(sibling.id + ".toml", toml_of(sibling));
    ASSERT_TRUE(back.ok()) << sibling.id << to_text(back.error());
    EXPECT_EQ(toml_of(*back), toml_of(sibling));
  }
}

TEST(OwnGpu, NeedsTheNumberOfSms) {
  DeviceDescription device = described();
  device.sms = std::nullopt;
  EXPECT_EQ(own_gpu(device, "").error().code, "gpu-fact-missing");
}

TEST(OwnGpu, AnUnknownArchitectureHasNoSibling) {
  DeviceDescription device = described();
  device.major = 3;
  EXPECT_EQ(own_gpu(device, "").error().code, "no-sibling");
}

TEST(Assumed, ListsEachSourceOfAGpuOnce) {
  const Table table = assumed_of({*find_gpu("l4")});
  ASSERT_FALSE(table.rows.empty());
  EXPECT_EQ(table.rows[0].cells[0].text, "l4");
  std::vector<std::string> sources;
  for (const Row& row : table.rows) sources.push_back(row.cells[1].text);
  EXPECT_THAT(sources, Contains(HasSubstr("as RTX 4090")));
  EXPECT_GT(count_facts(*find_gpu("l4")).assumed, 0);
}

}  // namespace
}  // namespace warpledger
