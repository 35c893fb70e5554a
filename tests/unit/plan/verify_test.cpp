#include "warpledger/plan/verify.h"

#include <gmock/gmock.h>

#include "tests/support/law.h"
#include "warpledger/plan/parse.h"
#include "warpledger/plan/search.h"

namespace warpledger::plan {
namespace {

using ::testing::HasSubstr;
using warpledger::testing::Rng;

Result<Verification> verified(const std::string& text, const char* gpu = "h100-sxm") {
  const Result<Plan> plan = parse(Source("k.plan", text));
  EXPECT_TRUE(plan) << to_text(plan.error());
  return verify(*plan, *find_gpu(gpu));
}

TEST(Verify, AnOverlayThatPhasesOrderIsSound) {
  const auto found = verified(
      "phases main epilogue\nsmem v bf16 [64, 64] live main at 0\nsmem o bf16 [64, 64] live "
      "epilogue "
      "at 0\n");
  EXPECT_TRUE(found->faults.empty());
  EXPECT_EQ(found->overlaid_pairs, 1);
}

TEST(Verify, AnOverlapThatNoBarrierOrdersIsAFault) {
  const auto found = verified(
      "events loaded used q_done\norder loaded < used\n"
      "smem k u8 [64] live loaded..used at 0\nsmem q u8 [64] live start..q_done at 32\n");
  ASSERT_EQ(found->faults.size(), 1U);
  EXPECT_EQ(
      to_text(found->faults[0]),
      "k.plan:4:6: error: 'q' (live start..q_done) and 'k' (live loaded..used) share bytes 32 "
      "to 64, and no barrier orders them [unordered-overlap]\n"
      "    smem q u8 [64] live start..q_done at 32\n"
      "         ^\n"
      "hint: if a barrier guarantees it, say so: order q_done < loaded\n");
}

TEST(Verify, AlignmentAndLimitsAreChecked) {
  const auto found = verified(
      "smem a bf16 [64, 64] swizzle 128B at 512\nsmem b u8 [232448] at 8704\n", "h100-sxm");
  ASSERT_EQ(found->faults.size(), 2U);
  EXPECT_THAT(found->faults[0].message, HasSubstr("not a multiple of 1,024 bytes"));
  EXPECT_THAT(found->faults[1].message, HasSubstr("8,704 more than the 232,448"));
}

TEST(Verify, TensorsInDifferentHalvesDoNotMeet) {
  const std::string b = "tmem b f32 [64, 64] layout F at 0 half ";
  const std::string a = "tmem a f32 [64, 64] layout F at 0 half 0\n";
  EXPECT_TRUE(verified(a + b + "1\n", "b200")->faults.empty());
  EXPECT_EQ(verified(a + b + "0\n", "b200")->faults.size(), 1U);
}

TEST(Verify, ABufferWithoutAnOffsetStops) {
  EXPECT_THAT(verified("smem a u8 [8]\n").error().message, HasSubstr("no offset to verify"));
}

/// Phases, rings, swizzles and types at random.
std::string any_plan(Rng& rng) {
  std::string text = "phases p0 p1 p2 p3 p4\n";
  const std::vector<std::string> types = {"f32", "bf16", "u8", "barrier", "e4m3"};
  const std::vector<std::string> swizzles = {"", "swizzle 64B", "swizzle 128B", "align 16"};
  for (int64_t i = 0, count = rng.between(1, 1 + rng.size() / 9); i < count; ++i) {
    const int64_t begin = rng.between(0, 4), end = rng.between(begin, 4);
    text += "smem b" + std::to_string(i) + " " + rng.pick(types) + " [" +
            std::to_string(rng.between(1, 64)) + ", 16] " + rng.pick(swizzles) + " ring " +
            std::to_string(rng.between(1, 3)) + (rng.coin() ? " apart" : "") + " live p" +
            std::to_string(begin) + "..p" + std::to_string(end) + "\n";
  }
  return text;
}

LAW(Verify, WhatThePlannerPlacesIsSound) {
  const std::string text = any_plan(rng);
  Plan plan = *parse(Source("any.plan", text));
  const Placement placement = place(plan);
  for (size_t i = 0; i < placement.shared.slots.size(); ++i) {
    const SlotName name = placement.shared.slots[i];
    plan.buffers[name.buffer].slots[name.slot].at = placement.shared.packing.offsets[i];
  }
  const auto found = verify(plan, *find_gpu("h100-sxm"));
  for (const Diagnostic& fault : found->faults) ADD_FAILURE() << to_text(fault) << text;
  EXPECT_LE(placement.shared.packing.total, placement.shared.first_fit) << text;
  EXPECT_LE(placement.shared.packing.total, placement.shared.without_overlays) << text;
}

TEST(Search, StopsAtTheDeepestPipelineThatFits) {
  const Source gemm("gemm.plan",
                    "let stages = 2\nlet n = 128\nthreads 384\n"
                    "smem a bf16 [128, 64] swizzle 128B ring stages load\n"
                    "smem b bf16 [n, 64] swizzle 128B ring stages load\n");
  const auto read = [&](const Sizes& sizes) { return parse(gemm, sizes); };
  const auto found = search(read, {}, {{"n", {128, 256}}}, *find_gpu("h100-sxm"));
  std::map<int64_t, int64_t> deepest;
  for (const Choice& choice : found->fitting) {
    int64_t& stages = deepest[choice.sizes.at("n")];
    stages = std::max(stages, choice.sizes.at("stages"));
  }
  EXPECT_EQ(deepest, (std::map<int64_t, int64_t>{{128, 7}, {256, 4}}));
}

TEST(Search, AChoiceIsBestWhenNoOtherBeatsIt) {
  const Source ring("ring.plan",
                    "let stages = 2\nthreads 128\nsmem a u8 [65536] ring stages load\n");
  const auto read = [&](const Sizes& sizes) { return parse(ring, sizes); };
  const auto found = search(read, {}, {}, *find_gpu("h100-sxm"));
  ASSERT_EQ(found->fitting.size(), 3U);  // 64, 128, 192 KiB
  EXPECT_TRUE(found->fitting[0].is_best) << "three blocks on an SM";
  EXPECT_FALSE(found->fitting[1].is_best) << "two stages hide less than three";
  EXPECT_TRUE(found->fitting[2].is_best);
}

TEST(Fit, TensorMemoryLimitsTheBlocksOfAnSm) {
  const Plan plan = *parse(Source("t.plan", "threads 128\ntmem d f32 [128, 100] layout D\n"));
  const Fit result = *fit(plan, place(plan), *find_gpu("b200"));
  EXPECT_EQ(result.tensor_allocated, 128);
  EXPECT_EQ(result.blocks_per_sm, 4);
  EXPECT_FALSE(fit(plan, place(plan), *find_gpu("h100-sxm"))->fits());
}

TEST(Fit, LittlesLawUsesTheGpuFile) {
  const Plan plan =
      *parse(Source("l.plan", "let stages = 3\nthreads 128\nsmem a u8 [65536] ring stages load\n"));
  const Gpu gpu = *find_gpu("h100-sxm");
  const Fit result = *fit(plan, place(plan), gpu);
  ASSERT_TRUE(result.in_flight);
  EXPECT_EQ(result.in_flight->bytes_per_sm, 2 * 65536);
  const double wanted = gpu.dram.peak_gbs->value *
                        (1000.0 * static_cast<double>(gpu.latency.dram_cycles->value) /
                         static_cast<double>(gpu.latency.clock_mhz->value)) /
                        static_cast<double>(gpu.sms.value);
  EXPECT_NEAR(static_cast<double>(result.in_flight->wanted_bytes), wanted, 1);
}

}  // namespace
}  // namespace warpledger::plan
