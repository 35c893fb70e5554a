// The published kernels of examples/plans: our total is never above the authors' own.
#include <gtest/gtest.h>

#include "tests/support/source.h"
#include "warpledger/base/file.h"
#include "warpledger/plan/parse.h"
#include "warpledger/plan/place.h"
#include "warpledger/plan/verify.h"

namespace warpledger::plan {
namespace {

struct Example {
  Plan plan;
  Placement placement;
};

Example example(const std::string& name, const Sizes& sizes = {}) {
  const std::string path = test::source_path("examples/plans/") + name + ".plan";
  const Result<std::string> text = read_file(path);
  EXPECT_TRUE(text) << to_text(text.error());
  Result<Plan> plan = parse(Source(path, *text), sizes);
  EXPECT_TRUE(plan) << to_text(plan.error());
  Placement placement = place(*plan);
  return {*std::move(plan), std::move(placement)};
}

int64_t offset_of(const Example& example, const Region& region, const std::string& name) {
  for (size_t i = 0; i < region.slots.size(); ++i) {
    if (name_of(example.plan, region.slots[i]) == name) return region.packing.offsets[i];
  }
  ADD_FAILURE() << "no " << name;
  return -1;
}

TEST(Examples, FlashMlaHead64WithoutItsUnions) {
  const Example head64 = example("flashmla-sm100-head64");
  const Region& shared = head64.placement.shared;
  EXPECT_EQ(shared.packing.total, 230656);
  EXPECT_TRUE(shared.packing.is_optimal());
  EXPECT_EQ(shared.without_overlays, 369920);
  const Region& tensor = head64.placement.tensor;
  EXPECT_EQ(offset_of(head64, tensor, "O"), 0);
  EXPECT_EQ(offset_of(head64, tensor, "Q"), 256);
  EXPECT_EQ(offset_of(head64, tensor, "P"), 400);
  EXPECT_EQ(tensor.packing.total, 464);
}

struct Published {
  const char* name;
  Sizes sizes;
  int64_t bytes;    // the authors' sizeof, or its formula
  int64_t ours;     // less where padding or a missing overlay is not forced
  int64_t columns;  // the authors' TMEM columns; 0: none
};

// The plans name their sources. FlashMLA and FlashAttention-3: sizeof of the compiled structs.
const std::vector<Published> kPublished = {
    {"flashmla-sm100-head64", {}, 230656, 230656, 464},
    {"flashmla-sm100-head128", {}, 214272, 214272, 512},
    {"flashmla-sm100-head128", {{"d_qk", 512}}, 197888, 197888, 512},
    {"flashmla-sm100-topk-prefill", {}, 224560, 224560, 448},
    {"flashmla-sm100-topk", {}, 224576, 224576, 448},
    {"flashmla-sm100-decode-head64", {}, 232192, 232192, 464},
    {"flashmla-sm100-decode-head64-model1", {}, 218848, 208640, 464},
    {"flashmla-sm90-prefill", {}, 230864, 230864, 0},
    {"flashmla-sm90-prefill-k512", {}, 214480, 214480, 0},
    {"flashmla-sm90-decode-fp8", {}, 231424, 230592, 0},
    {"flashmla-sm90-decode-fp8", {{"d", 512}}, 208896, 206016, 0},
    {"flashmla-sm90-decode-dense", {}, 230816, 230816, 0},
    {"fa3-hd256", {}, 232448, 229600, 0},
    {"fa3-hd256-as-compiled", {}, 232448, 232448, 0},
    {"fa3-hd128", {}, 216064, 213216, 0},
    {"fa3-hd128", {{"n", 128}}, 166912, 164064, 0},
    {"fa3-hd192", {}, 216064, 213216, 0},
    {"fa3-hd64", {}, 199680, 196832, 0},
    {"fa3-fp8-hd256", {}, 232448, 229600, 0},
    {"fa4-hd128", {}, 232448, 229696, 512},
    {"fa4-hd192", {}, 232448, 229696, 0},
    {"fa4-bwd-hd192", {}, 0, 0, 512},
    {"fmha-bwd-sm100", {}, 0, 0, 512},
    {"fmha-fwd-sm100", {}, 0, 0, 512},
    {"thunderkittens-gemm", {}, 197632, 196752, 512},
    {"thunderkittens-gemm", {{"consumers", 2}, {"stages", 4}}, 230400, 229504, 512},
    {"thunderkittens-mha", {}, 206848, 206848, 512},
};

TEST(Examples, NoPublishedPlacementIsSmallerThanOurs) {
  for (const Published& published : kPublished) {
    SCOPED_TRACE(published.name);
    const Example one = example(published.name, published.sizes);
    EXPECT_EQ(one.placement.shared.packing.total, published.ours);
    EXPECT_LE(one.placement.shared.packing.total, published.bytes);
    EXPECT_LE(one.placement.tensor.packing.total, published.columns);
    EXPECT_TRUE(one.placement.shared.packing.is_optimal());
    EXPECT_TRUE(one.placement.tensor.packing.is_optimal());
  }
}

TEST(Examples, FlashAttention3AsCompiledIsAFaultlessPlacement) {
  const Example one = example("fa3-hd256-as-compiled");
  const Result<Verification> found = verify(one.plan, *find_gpu("h100-sxm"));
  ASSERT_TRUE(found) << to_text(found.error());
  EXPECT_TRUE(found->faults.empty());
  EXPECT_EQ(found->written.shared.packing.total, 232448);
}

TEST(Examples, FlashAttention4RingNeedsOneWaitBeyondItsDepth) {
  const std::string path = test::source_path("examples/plans/fa4-hd192.plan");
  std::string text = *read_file(path);
  const auto ring_bytes = [](const std::string& plan_text) {
    const Plan plan = *parse(Source("fa4", plan_text));
    const Placement placement = place(plan);
    EXPECT_TRUE(placement.shared.packing.is_optimal());
    return placement.shared.packing.total - 98304 - 320;  // Q and the barriers
  };
  EXPECT_EQ(ring_bytes(text), 48 * 1024 + 32 * 1024 + 48 * 1024);
  const std::string wait = "  wait 6 for 4\n";
  text.erase(text.find(wait), wait.size());
  EXPECT_EQ(ring_bytes(text), 3 * 48 * 1024) << "no placement of three in flight is smaller";
}

TEST(Examples, FlashAttention4UnevenRingIsTheAuthorsOwn) {
  const Example one = example("fa4-hd192");
  const Region& region = one.placement.shared;
  const int64_t base = offset_of(one, region, "K[0]");
  const auto at = [&](const char* name) { return (offset_of(one, region, name) - base) / 1024; };
  EXPECT_EQ(at("V[0]"), 48);
  EXPECT_EQ(at("K[1]"), 80);
  EXPECT_EQ(at("V[1]"), 0);
  EXPECT_EQ(at("K[2]"), 32);
  EXPECT_EQ(at("V[2]"), 80);
}

TEST(Examples, BackwardTensorsOverlapInPart) {
  const Example one = example("fa4-bwd-hd192");
  const Region& region = one.placement.tensor;
  EXPECT_EQ(region.without_overlays, 800);
  EXPECT_EQ(offset_of(one, region, "dV"), 0);
  EXPECT_EQ(offset_of(one, region, "dK"), 128);
  EXPECT_LT(offset_of(one, region, "dP"), offset_of(one, region, "S") + 128) << "dP lies over S";
}

}  // namespace
}  // namespace warpledger::plan
