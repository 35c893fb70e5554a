// The estimated time of what the CPU computes.
#include "interpose/estimate.h"

#include <gtest/gtest.h>

namespace warpledger::cuda {
namespace {

double seconds(const char* gpu, const Operator& work) {
  return estimate_seconds(*find_gpu(gpu), work);
}

TEST(Operator, AnEmptyOneTakesItsLaunch) {
  const double overhead = seconds("a100-80", {});
  EXPECT_GT(overhead, 1e-6);
  EXPECT_LT(overhead, 5e-6);
}

TEST(Operator, BytesTakeTheBandwidthOfTheGpu) {
  const double overhead = seconds("a100-80", {}), all = seconds("a100-80", {.bytes = 1e9});
  const DramFacts dram = find_gpu("a100-80")->dram;
  EXPECT_NEAR(1 / (all - overhead), dram.peak_gbs->value * dram.copy_efficiency->value, 1);
  EXPECT_GT(seconds("t4", {.bytes = 1e9}), 4 * all);
}

TEST(Operator, FlopsTakeTheRateOfTheirPipe) {
  const auto one = [](MathPipe pipe) { return seconds("a100-80", {.flops = 1e12, .pipe = pipe}); };
  EXPECT_LT(10 * one(MathPipe::kTensorFp16), one(MathPipe::kFp32));
  EXPECT_LT(one(MathPipe::kFp32), one(MathPipe::kFp64));
}

TEST(Operator, TheSlowerOfBytesAndFlopsCounts) {
  const Operator both{.bytes = 1e9, .flops = 1e12};
  EXPECT_EQ(seconds("a100-80", both), std::max(seconds("a100-80", {.bytes = both.bytes}),
                                               seconds("a100-80", {.flops = both.flops})));
}

TEST(Operator, EveryGpuHasAnEstimate) {
  for (const Gpu& gpu : all_gpus()) {
    EXPECT_GT(estimate_seconds(gpu, {.bytes = 1e9, .flops = 1e12}), 1e-4) << gpu.id;
  }
}

}  // namespace
}  // namespace warpledger::cuda
