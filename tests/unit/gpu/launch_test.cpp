#include "warpledger/gpu/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/law.h"
#include "warpledger/gpu/advice.h"
#include "warpledger/render/ncu_section.h"

namespace warpledger {
namespace {

using ::testing::HasSubstr;
using testing::Rng;

const Gpu& rtx3090() {
  static const Gpu gpu = *find_gpu("rtx3090");
  return gpu;
}

const std::vector<Gpu>& gpus() {
  static const std::vector<Gpu> all = all_gpus();
  return all;
}

Launch any_launch(Rng& rng) {
  return {.grid = {rng.between(1, 5000), rng.between(1, 4), 1},
          .block = {rng.between(1, 32), rng.between(1, 32), 1},
          .registers_per_thread = rng.between(1, 255),
          .static_smem_bytes = rng.coin() ? 0 : rng.between(0, 49152),
          .dynamic_smem_bytes = rng.coin() ? 0 : rng.between(0, 49152)};
}

// Written by ncu for a 4000x3000x2000 naive matrix product on an RTX 3090, without the lines that
// need a run.
TEST(LaunchSections, AreThoseOfAPublishedReport) {
  const Launch launch{.grid = {188, 250, 1}, .block = {16, 16, 1}, .registers_per_thread = 30};
  EXPECT_EQ(ncu_section_text(*launch_section(rtx3090(), launch)),
            R"(    Section: Launch Statistics
    -------------------------------- --------------- ---------------
    Metric Name                          Metric Unit    Metric Value
    -------------------------------- --------------- ---------------
    Block Size                                                   256
    Function Cache Configuration                     CachePreferNone
    Grid Size                                                 47,000
    Registers Per Thread             register/thread              30
    Shared Memory Configuration Size           Kbyte            8.19
    Driver Shared Memory Per Block       Kbyte/block            1.02
    Dynamic Shared Memory Per Block       byte/block               0
    Static Shared Memory Per Block        byte/block               0
    # SMs                                         SM              82
    Threads                                   thread      12,032,000
    # TPCs                                                        41
    Enabled TPC IDs                                              all
    Waves Per SM                                               95.53
    -------------------------------- --------------- ---------------
)");
  EXPECT_EQ(ncu_section_text(*occupancy_section(rtx3090(), launch)),
            R"(    Section: Occupancy
    ------------------------------- ----------- ------------
    Metric Name                     Metric Unit Metric Value
    ------------------------------- ----------- ------------
    Block Limit SM                        block           16
    Block Limit Registers                 block            8
    Block Limit Shared Mem                block            8
    Block Limit Warps                     block            6
    Theoretical Active Warps per SM        warp           48
    Theoretical Occupancy                     %          100
    ------------------------------- ----------- ------------
)");
}

TEST(Launch, ARefusedLaunchSaysWhyAndWhatWouldFit) {
  Launch launch{.block = {1024, 1, 1}, .registers_per_thread = 65};
  const Diagnostic registers = launch_statistics(rtx3090(), launch).error();
  EXPECT_EQ(registers.code, "launch-refused");
  EXPECT_EQ(registers.hint, "at most 64 registers per thread with this block");
  launch = {.block = {32, 1, 1}, .registers_per_thread = 30, .dynamic_smem_bytes = 200'000};
  EXPECT_THAT(launch_statistics(rtx3090(), launch).error().message,
              HasSubstr("200,000 bytes of shared memory per block are more than 101,376"));
  launch = {.block = {32, 33, 1}, .registers_per_thread = 30};
  EXPECT_THAT(launch_statistics(rtx3090(), launch).error().message, HasSubstr("1056 threads"));
  launch = {.block = {1, 1, 65}, .registers_per_thread = 30};
  EXPECT_THAT(launch_statistics(rtx3090(), launch).error().message, HasSubstr("65 in z"));
  launch = {.grid = {2147483647, 65535, 65535}, .block = {1, 1, 1}, .registers_per_thread = 30};
  EXPECT_FALSE(launch_statistics(rtx3090(), launch).ok());
}

TEST(Launch, AnAskedCarveoutIsRoundedUpToOneThatHoldsABlock) {
  Launch launch{.block = {256, 1, 1}, .registers_per_thread = 30, .dynamic_smem_bytes = 20'000};
  launch.carveout_kib = 8;
  EXPECT_EQ(launch_statistics(rtx3090(), launch)->smem_config_bytes, 32 * 1024);
  launch.carveout_kib = 33;
  EXPECT_EQ(launch_statistics(rtx3090(), launch)->smem_config_bytes, 64 * 1024);
  launch.carveout_kib.reset();
  launch.cache = CachePreference::kShared;
  EXPECT_EQ(launch_statistics(rtx3090(), launch)->smem_config_bytes, 100 * 1024);
}

LAW(Launch, StatisticsAgreeWithEachOther) {
  const Gpu& gpu = rng.pick(gpus());
  const Launch launch = any_launch(rng);
  const auto s = launch_statistics(gpu, launch);
  if (!s) return;
  EXPECT_GE(s->blocks_per_sm, 1);
  EXPECT_LE(s->occupancy_percent, 100);
  EXPECT_EQ(s->threads, s->blocks * volume(launch.block));
  EXPECT_NEAR(s->waves_per_sm * static_cast<double>(gpu.sms.value * s->blocks_per_sm),
              static_cast<double>(s->blocks), 1e-6 * static_cast<double>(s->blocks));
}

// The naive way to find a change: try every smaller value in turn.
LAW(Advice, NamesTheSmallestReductionThatHelps) {
  const Gpu& gpu = rng.pick(gpus());
  const Launch launch = any_launch(rng);
  const auto advice = advise(gpu, launch);
  if (!advice) return;
  const int64_t now = occupancy(gpu.architecture, needs_of(launch))->warps_per_sm();
  std::optional<int64_t> expected;
  for (int64_t r = launch.registers_per_thread - 1; r >= 1 && !expected; --r) {
    BlockNeeds needs = needs_of(launch);
    needs.registers_per_thread = r;
    if (occupancy(gpu.architecture, needs)->warps_per_sm() > now) expected = r;
  }
  std::optional<int64_t> found;
  for (const Change& change : advice->changes) {
    EXPECT_GT(change.warps_after, now);
    if (change.axis == SweepAxis::kRegisters) found = change.to;
  }
  EXPECT_EQ(found, expected);
}

TEST(Advice, SaysItInOneLine) {
  const Gpu a100 = *find_gpu("a100");
  Launch launch{.block = {256, 1, 1}, .registers_per_thread = 34};
  EXPECT_EQ(to_text(*advise(a100, launch)),
            "48 of 64 warps, limited by registers; 2 registers less per thread: 48 -> 64 warps");
  launch.registers_per_thread = 32;
  EXPECT_EQ(to_text(*advise(a100, launch)),
            "64 of 64 warps, limited by warps and registers: the SM is full");
}

// The naive way to count: add one buffer after the other.
LAW(MaxStages, CountsTheBuffersThatFit) {
  const Gpu& gpu = rng.pick(gpus());
  const Launch launch = any_launch(rng);
  const int64_t bytes = rng.between(1, 40'000);
  const auto stages = max_stages(gpu, launch, bytes);
  if (!stages) return;
  for (const StageRoom& room : {stages->at_current_occupancy, stages->at_one_block}) {
    const auto blocks_with = [&](int64_t buffers) {
      BlockNeeds needs = needs_of(launch);
      needs.dynamic_smem_bytes += buffers * bytes;
      return occupancy(gpu.architecture, needs)->blocks_per_sm;
    };
    EXPECT_GE(blocks_with(room.buffers), room.blocks_per_sm);
    EXPECT_LT(blocks_with(room.buffers + 1), room.blocks_per_sm);
  }
}

LAW(Sweep, HoldsTheLaunchItselfAndAgreesWithOccupancy) {
  const Gpu& gpu = rng.pick(gpus());
  const Launch launch = any_launch(rng);
  if (!launchable(gpu, launch)) return;
  const Occupancy now = *occupancy(gpu.architecture, needs_of(launch));
  for (const SweepAxis axis :
       {SweepAxis::kBlock, SweepAxis::kRegisters, SweepAxis::kSharedMemory}) {
    const Sweep found = *sweep(gpu, launch, axis);
    EXPECT_EQ(found.points[found.current].warps_per_sm, now.warps_per_sm());
    for (size_t i = 1; i < found.points.size(); ++i) {
      EXPECT_LT(found.points[i - 1].value, found.points[i].value);
      if (axis == SweepAxis::kBlock) continue;
      EXPECT_LE(found.points[i].warps_per_sm, found.points[i - 1].warps_per_sm);
    }
    EXPECT_THAT(curve_text(found), HasSubstr("^"));
  }
}

TEST(Sweep, NamesTheRangesOfEachLimit) {
  const Launch launch{.block = {256, 1, 1}, .registers_per_thread = 30};
  EXPECT_EQ(limits_in_words(*sweep(rtx3090(), launch, SweepAxis::kRegisters)),
            "warps at 1 to 40; registers at 41 to 255");
}

}  // namespace
}  // namespace warpledger
