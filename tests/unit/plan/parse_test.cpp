#include "warpledger/plan/parse.h"

#include <gmock/gmock.h>

#include "warpledger/plan/place.h"
#include "warpledger/plan/tensor_memory.h"

namespace warpledger::plan {
namespace {

using ::testing::HasSubstr;

Plan parsed(const std::string& text, const Sizes& sizes = {}) {
  Result<Plan> plan = parse(Source("k.plan", text), sizes);
  EXPECT_TRUE(plan) << to_text(plan.error());
  return plan ? *std::move(plan) : Plan{};
}

std::string refused(const std::string& text, const Sizes& sizes = {}) {
  const Result<Plan> plan = parse(Source("k.plan", text), sizes);
  EXPECT_FALSE(plan) << "was accepted: " << text;
  return plan ? "" : to_text(plan.error());
}

TEST(Parse, ReadsABufferWithItsClauses) {
  const Plan plan = parsed(
      "plan gemm\ngpu h100-sxm\nthreads 384\nphases load math\n"
      "smem a bf16 [128, 64] swizzle 128B ring 4 live load..math load note \"K-major\"\n");
  EXPECT_EQ(plan.name, "gemm");
  EXPECT_EQ(plan.gpu, "h100-sxm");
  EXPECT_EQ(plan.threads, 384);
  const Buffer& a = plan.buffers.front();
  EXPECT_EQ(a.size, 16384);
  EXPECT_EQ(a.alignment, 1024);
  EXPECT_EQ(a.ring, 4);
  EXPECT_EQ(a.slots.size(), 1U);
  EXPECT_EQ(a.bytes_in_flight, 3 * 16384);
  EXPECT_EQ(a.note, "K-major");
}

TEST(Parse, SizesAreExpressionsAndCanBeReplaced) {
  const std::string text = "let n = 64\nlet wide = 2*(n + 16)/4\nsmem a f32 [n, wide]\n";
  EXPECT_EQ(parsed(text).buffers[0].shape, (std::vector<int64_t>{64, 40}));
  EXPECT_EQ(parsed(text, {{"n", 128}}).buffers[0].shape, (std::vector<int64_t>{128, 72}));
}

TEST(Parse, SlotsOfARingMayLiveAtOtherTimes) {
  const Plan plan = parsed("phases a b\nsmem k u8 [64] ring 3 live a..b slots 2.. live b\n");
  ASSERT_EQ(plan.buffers[0].slots.size(), 3U);
  EXPECT_EQ(to_text(plan, plan.buffers[0].slots[1]), "a..b");
  EXPECT_EQ(to_text(plan, plan.buffers[0].slots[2]), "b");
}

TEST(Parse, PhasesFollowEachOther) {
  const Plan plan = parsed("phases a b c\nsmem x u8 [8] live a\nsmem y u8 [8] live b..c\n");
  EXPECT_FALSE(may_overlap(plan, {0, 0}, {1, 0}));
}

TEST(Parse, UnorderedEventsOverlap) {
  const std::string text =
      "events a b c d\norder a < b, c < d\nsmem x u8 [8] live a..b\nsmem y u8 [8] live c..d\n";
  EXPECT_TRUE(may_overlap(parsed(text), {0, 0}, {1, 0}));
  EXPECT_FALSE(may_overlap(parsed(text + "order b < c\n"), {0, 0}, {1, 0}));
}

TEST(Parse, AFaultHasItsPlaceAndARemedy) {
  EXPECT_EQ(refused("smem a bf15 [64]\n"),
            "k.plan:1:8: error: unknown element type 'bf15' [unknown-type]\n"
            "    smem a bf15 [64]\n"
            "           ^~~~\n"
            "hint: did you mean 'bf16'?\n");
}

TEST(Parse, EveryFaultIsShown) {
  const std::string text = refused("smemm a f32 [4]\nsmem b f32 [0]\nsmem c f32 [n]\n");
  EXPECT_THAT(text, HasSubstr("did you mean 'smem'?"));
  EXPECT_THAT(text, HasSubstr("k.plan:2:13: error: an extent is 1..1048576, not 0"));
  EXPECT_THAT(text, HasSubstr("unknown size 'n'"));
}

TEST(Parse, RefusesWhatContradictsItself) {
  EXPECT_THAT(refused("events a b\norder a < b, b < a\n"),
              HasSubstr("now comes both before and after"));
  EXPECT_THAT(refused("events a b\nsmem x u8 [8] live a..b\n"), HasSubstr("hint: order a < b"));
  EXPECT_THAT(refused("smem x u8 [8]\nsmem x u8 [8]\n"), HasSubstr("already called 'x'"));
  EXPECT_THAT(refused("smem x bf16 [64] swizzle 128B align 128\n"),
              HasSubstr("repeats every 1024"));
  EXPECT_THAT(refused("smem x u8 [8] align 24\n"), HasSubstr("power of two"));
  EXPECT_THAT(refused("let a = 7/2\n"), HasSubstr("7 / 2 is not a whole number"));
  EXPECT_THAT(refused("smem x u8 [8] live never\n"), HasSubstr("unknown event or phase"));
  EXPECT_THAT(refused("let a = 1\n", {{"stages", 2}}), HasSubstr("has no 'let stages'"));
  EXPECT_THAT(refused("smem a.b u8 [8]\n"), HasSubstr("C++ member"));
  EXPECT_THAT(refused("smem a u8 [8] at [0, 8, 16] ring 2\n"), HasSubstr("3 offsets for 2 slots"));
}

TEST(TensorMemory, ColumnsFollowTheDataPathLayout) {
  const auto columns = [](const std::string& line) { return parsed(line + "\n").buffers[0].size; };
  EXPECT_EQ(columns("tmem x f32 [128, 256] layout D"), 256);
  EXPECT_EQ(columns("tmem x bf16 [128, 256] layout D"), 128);
  EXPECT_EQ(columns("tmem x f16 [128, 256] layout D accumulator"), 256);
  EXPECT_EQ(columns("tmem x f32 [64, 512] layout E"), 256);
  EXPECT_EQ(columns("tmem x f32 [64, 128] layout F"), 128);
  EXPECT_EQ(columns("tmem x f32 [32, 256] layout G"), 64);
  EXPECT_EQ(columns("tmem x f32 [64, 64] writes [64, 128] layout E"), 64);
  const auto pair = [](const std::string& line) {
    return parsed("cta_group 2\n" + line + "\n").buffers[0].size;
  };
  EXPECT_EQ(pair("tmem x f32 [256, 128] layout A"), 128);
  EXPECT_EQ(pair("tmem x f32 [128, 512] layout B"), 256);
  EXPECT_EQ(pair("tmem x bf16 [128, 384] layout B duplicated"), 192);
  EXPECT_EQ(pair("tmem x f32 [128, 64] layout C"), 64);
}

TEST(TensorMemory, AWrongLayoutIsNamedWithTheRightOne) {
  EXPECT_THAT(refused("tmem x f32 [64, 128] layout D\n"),
              HasSubstr("layout E is for M = 64 with .ws; layout F is for M = 64"));
}

TEST(TensorMemory, AllocationsArePowersOfTwoAndDoNotGrow) {
  EXPECT_EQ(allocation_for(0), 0);
  EXPECT_EQ(allocation_for(1), 32);
  EXPECT_EQ(allocation_for(464), 512);
  EXPECT_TRUE(check_allocations({256, 128, 128}));
  EXPECT_THAT(check_allocations({128, 256}).error().message, HasSubstr("follows one of 128"));
  EXPECT_THAT(check_allocations({96}).error().message, HasSubstr("cannot allocate 96"));
  EXPECT_THAT(check_allocations({256, 256, 32}).error().message, HasSubstr("544 columns of 512"));
  EXPECT_THAT(refused("tmem_alloc 64, 128\n"), HasSubstr("must not grow"));
}

TEST(TensorMemory, TensorsInHalfOfTheLanesShareColumns) {
  const Plan plan = parsed(
      "tmem a f32 [64, 128] layout F\ntmem b f32 [64, 64] layout F\ntmem c f32 [64, 64] layout "
      "F\n");
  const Placement placement = place(plan);
  EXPECT_EQ(placement.tensor.packing.total, 128);
  EXPECT_EQ(placement.tensor.halves, (std::vector<int>{0, 1, 1}));
  const Plan fixed =
      parsed("tmem a f32 [64, 128] layout F half 0\ntmem b f32 [64, 64] layout F half 0\n");
  EXPECT_EQ(place(fixed).tensor.packing.total, 192);
}

}  // namespace
}  // namespace warpledger::plan
