#include "warpledger/plan/from_tile.h"

#include <gtest/gtest.h>

#include "warpledger/plan/place.h"
#include "warpledger/tile/check.h"
#include "warpledger/tile/parser.h"

namespace warpledger::plan {
namespace {

tile::CheckedProgram program(const std::string& body) {
  Result<tile::Program> parsed = tile::parse(
      "t.tile",
      "program t\ntarget sm_90\nsize Br = 64, Bc = 64, d = 64, T = 4\nscalar scale\n"
      "input Q[Br, d] f16\ninput K[T*Bc, d] f16\ninput V[T*Bc, d] f16\noutput O[T, Br, d] f32\n"
      "kernel attention {\n" +
          body + "}\n");
  EXPECT_TRUE(parsed) << to_text(parsed.error());
  return *tile::check(*std::move(parsed));
}

TEST(FromTile, TilesThatAreNotNeededTogetherShareAPlace) {
  const tile::CheckedProgram attention = program(
      "  Q_smem = copy Q to shared\n  for j in T {\n    K_smem = copy K[j of Bc, :] to shared\n"
      "    S = Q_smem @ K_smem^T\n    V_smem = copy V[j of Bc, :] to shared\n    U = S @ V_smem\n"
      "    U_smem = copy U to shared\n    copy U_smem to O[j, :, :]\n  }\n");
  const Result<Plan> plan = plan_of(attention, 0);
  ASSERT_TRUE(plan) << to_text(plan.error());
  EXPECT_EQ(plan->buffers.size(), 4U);
  const Placement placement = place(*plan);
  // Q lives through the loop; K, V and the output tile (f32) take turns behind it.
  EXPECT_EQ(placement.shared.packing.total, 64 * 64 * 2 + 64 * 64 * 4);
  EXPECT_TRUE(placement.shared.packing.is_optimal());
}

TEST(FromTile, AMissingSizeIsNamed) {
  Result<tile::Program> open =
      tile::parse("o.tile",
                  "program o\ntarget sm_90\nsize N\ninput A[N, 64] f16\noutput B[N, 64] f16\n"
                  "kernel copies {\n  a = copy A to shared\n  copy a to B\n}\n");
  ASSERT_TRUE(open) << to_text(open.error());
  const Result<tile::CheckedProgram> checked = tile::check(*open);
  ASSERT_TRUE(checked) << to_text(checked.error());
  EXPECT_FALSE(plan_of(*checked, 0));
  const Result<Plan> sized = plan_of(*checked, 0, {{"N", 32}});
  ASSERT_TRUE(sized) << to_text(sized.error());
  EXPECT_EQ(sized->buffers[0].size, 32 * 64 * 2);
}

}  // namespace
}  // namespace warpledger::plan
