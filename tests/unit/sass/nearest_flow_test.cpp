#include "warpledger/sass/witness/nearest_flow.h"

#include "tests/support/law.h"
#include "tests/unit/sass/any_walk.h"
#include "warpledger/sass/witness/flow.h"

namespace warpledger::sass {
namespace {

Entries entered(uint64_t times) { return {{0, times}}; }

Estimates any_estimates(testing::Rng& rng, const Walked& walked) {
  Estimates made;
  for (const uint64_t count : walked.counts) {
    const auto told = rng.coin() ? count : static_cast<uint64_t>(rng.between(0, 100));
    made.blocks.push_back({told, static_cast<uint64_t>(rng.between(0, 50))});
  }
  return made;
}

uint64_t cost_of(const std::vector<uint64_t>& counts, const Estimates& estimates) {
  uint64_t cost = 0;
  for (size_t b = 0; b < counts.size(); ++b) {
    const auto [told, weight] = estimates.blocks[b];
    cost += weight * (std::max(told, counts[b]) - std::min(told, counts[b]));
  }
  return cost;
}

LAW(NearestFlow, LeavesTheTruthAlone) {
  const Walked walked = any_walk(rng, any_graph(rng));
  Estimates estimates;
  for (const uint64_t count : walked.counts) estimates.blocks.push_back({count, 1});
  EXPECT_EQ(nearest_flow(walked.blocks, estimates, entered(walked.walks)), walked.counts);
}

LAW(NearestFlow, KeepsTheLaw) {
  const Walked walked = any_walk(rng, any_graph(rng));
  const auto counts =
      nearest_flow(walked.blocks, any_estimates(rng, walked), entered(walked.walks));
  ASSERT_TRUE(counts);
  Flow flow(walked.blocks);
  flow.set_entered(0, walked.walks);
  for (uint32_t b = 0; b < walked.blocks.size(); ++b) flow.set_block(b, (*counts)[b]);
  flow.propagate();
  EXPECT_TRUE(flow.violations().empty());
}

LAW(NearestFlow, NoOtherFlowIsNearer) {
  const Walked walked = any_walk(rng, any_graph(rng));
  const Estimates estimates = any_estimates(rng, walked);
  const auto nearest = nearest_flow(walked.blocks, estimates, entered(walked.walks));
  ASSERT_TRUE(nearest);
  EXPECT_LE(cost_of(*nearest, estimates), cost_of(walked.counts, estimates));
  Walked other{.blocks = walked.blocks, .counts = std::vector<uint64_t>(walked.counts.size())};
  for (uint64_t i = 0; i < walked.walks; ++i) walk(rng, other);
  EXPECT_LE(cost_of(*nearest, estimates), cost_of(other.counts, estimates));
}

/// 0 -> 1 -> 2, and 1 again.
std::vector<SassBlock> one_loop() {
  std::vector<SassBlock> blocks(3);
  blocks[0].successors = {1};
  blocks[1].successors = {1, 2};
  blocks[2].leaves = true;
  return blocks;
}

TEST(NearestFlow, MendsTheBlockThatCostsLeast) {
  const Estimates estimates{.blocks = {{8, 10}, {80, 10}, {0, 1}}};
  EXPECT_EQ(nearest_flow(one_loop(), estimates, entered(8)), (std::vector<uint64_t>{8, 80, 8}));
}

TEST(NearestFlow, ALoopIsEnteredAsOftenAsItsEdgeTells) {
  // Past the loop, or through it: without the edge, the loop would run for itself.
  std::vector<SassBlock> blocks = one_loop();
  blocks[0].successors = {1, 2};
  Estimates estimates{.blocks = {{8, 1}, {80, 1}, {8, 1}}};
  estimates.edges[{0, 1}] = {8, 1};
  estimates.edges[{1, 1}] = {72, 1};
  EXPECT_EQ(nearest_flow(blocks, estimates, entered(8)), (std::vector<uint64_t>{8, 80, 8}));
  estimates.edges[{1, 1}] = {0, 100};
  EXPECT_EQ(nearest_flow(blocks, estimates, entered(8))->at(1), 8U);
}

TEST(NearestFlow, EntriesThatAreNotKnownFollowTheBlocks) {
  const Estimates estimates{.blocks = {{8, 10}, {80, 10}, {8, 10}}};
  EXPECT_EQ(nearest_flow(one_loop(), estimates, {{0, {}}}), (std::vector<uint64_t>{8, 80, 8}));
}

TEST(NearestFlow, SaysWhereNoWayLeadsOut) {
  std::vector<SassBlock> blocks = one_loop();
  blocks[2].leaves = false;
  const Estimates estimates{.blocks = {{8, 1}, {80, 1}, {8, 1}}};
  EXPECT_FALSE(nearest_flow(blocks, estimates, entered(8)));
}

}  // namespace
}  // namespace warpledger::sass
