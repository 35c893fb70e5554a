// The published kernels of examples/plans: our total is never above the authors' own.
#include <gtest/gtest.h>

#include "warpledger/base/file.h"
#include "warpledger/plan/parse.h"
#include "warpledger/plan/place.h"

namespace warpledger::plan {
namespace {

struct Example {
  Plan plan;
  Placement placement;
};

Example example(const std::string& name, const Sizes& sizes = {}) {
  const std::string path = std::string(WL_SOURCE_DIR) + "/examples/plans/" + name + ".plan";
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

}  // namespace
}  // namespace warpledger::plan
