#include "warpledger/plan/pack.h"

#include <algorithm>
#include <numeric>

#include "tests/support/law.h"
#include "warpledger/base/units.h"

namespace warpledger::plan {
namespace {

using warpledger::testing::Rng;

/// Items alive over random intervals of time, or over a random graph of conflicts.
PackProblem any_problem(Rng& rng, int count) {
  PackProblem problem;
  problem.granularity = rng.coin() ? 16 : 1;
  const bool timed = rng.coin();
  const bool aligned = rng.coin();
  std::vector<std::pair<int64_t, int64_t>> lives;
  for (int i = 0; i < count; ++i) {
    problem.items.push_back({rng.between(1, 12) * (aligned ? rng.between(1, 20) : 16),
                             aligned ? int64_t{1} << rng.between(0, 7) : 1});
    const int64_t begin = rng.between(0, 7);
    lives.emplace_back(begin, rng.between(begin + 1, 8));
  }
  problem.conflicts.assign(count, std::vector<bool>(count, false));
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < a; ++b) {
      const bool meet = timed ? lives[a].first < lives[b].second && lives[b].first < lives[a].second
                              : rng.between(0, 2) > 0;
      problem.conflicts[a][b] = problem.conflicts[b][a] = meet;
    }
  }
  return problem;
}

void expect_valid(const PackProblem& problem, const Packing& packing) {
  const size_t count = problem.items.size();
  ASSERT_EQ(packing.offsets.size(), count);
  for (size_t a = 0; a < count; ++a) {
    EXPECT_GE(packing.offsets[a], 0);
    EXPECT_EQ(packing.offsets[a] % problem.items[a].alignment, 0);
    EXPECT_LE(packing.offsets[a] + problem.items[a].size, packing.total);
    for (size_t b = 0; b < a; ++b) {
      if (!problem.conflicts[a][b]) continue;
      EXPECT_TRUE(packing.offsets[a] + problem.items[a].size <= packing.offsets[b] ||
                  packing.offsets[b] + problem.items[b].size <= packing.offsets[a])
          << a << " and " << b << " live at once and overlap";
    }
  }
  EXPECT_LE(packing.lower_bound, packing.total);
}

/// The least total over every order of first fit: some order gives an optimal packing.
int64_t brute_force(const PackProblem& problem) {
  std::vector<int> order(problem.items.size());
  std::iota(order.begin(), order.end(), 0);
  int64_t best = first_fit(problem, order).total;
  while (std::next_permutation(order.begin(), order.end())) {
    best = std::min(best, first_fit(problem, order).total);
  }
  return best;
}

LAW(Pack, LiveItemsNeverOverlapAndFirstFitIsNeverBetter) {
  PackProblem problem = any_problem(rng, static_cast<int>(1 + rng.size() / 5));
  problem.node_limit = 50000;  // sound whether or not it is proven
  const Packing packing = pack(problem);
  expect_valid(problem, packing);
  std::vector<int> order(problem.items.size());
  std::iota(order.begin(), order.end(), 0);
  EXPECT_LE(packing.total, first_fit(problem, order).total);
}

LAW_ROUNDS(Pack, EqualsBruteForceUpToSixItems, 600) {
  const PackProblem problem = any_problem(rng, static_cast<int>(rng.between(1, 6)));
  const Packing packing = pack(problem);
  expect_valid(problem, packing);
  EXPECT_TRUE(packing.is_optimal());
  EXPECT_EQ(packing.total, brute_force(problem));
}

LAW_ROUNDS(Pack, EqualsBruteForceAtEightItems, 12) {
  const PackProblem problem = any_problem(rng, 8);
  const Packing packing = pack(problem);
  expect_valid(problem, packing);
  EXPECT_TRUE(packing.is_optimal());
  EXPECT_EQ(packing.total, brute_force(problem));
}

LAW(Pack, AddingAnItemNeverShrinksTheTotal) {
  PackProblem problem = any_problem(rng, 7);
  const int64_t with = pack(problem).total;
  problem.items.pop_back();
  problem.conflicts.pop_back();
  for (auto& row : problem.conflicts) row.pop_back();
  EXPECT_LE(pack(problem).total, with);
}

/// What kernels declare: swizzled tiles, vectors, barriers, flags, over phases.
PackProblem any_kernel(Rng& rng, int count) {
  PackProblem problem = any_problem(rng, count);
  problem.granularity = 16;
  for (PackItem& item : problem.items) {
    switch (rng.between(0, 3)) {
      case 0:
        item = {rng.between(1, 20) * 8, 8};
        break;
      case 1:
        item = {rng.between(1, 64) * 4, 16};
        break;
      default:
        item = {rng.between(1, 64) * 1024, 1024};
        break;
    }
  }
  return problem;
}

LAW_ROUNDS(Pack, TwentyBuffersOfAKernelAreProven, 30) {
  const PackProblem problem = any_kernel(rng, 20);
  const Packing packing = pack(problem);
  expect_valid(problem, packing);
  EXPECT_TRUE(packing.is_optimal())
      << packing.lower_bound << " .. " << packing.total << " after " << packing.nodes << " nodes";
}

TEST(Pack, ProvesAKernelWhoseBusiestMomentIsNotTheBound) {
  Rng rng(199, 50);  // of 400 kernels one of those that need the most nodes
  const PackProblem problem = any_kernel(rng, 20);
  const Packing packing = pack(problem);
  expect_valid(problem, packing);
  EXPECT_TRUE(packing.is_optimal()) << packing.lower_bound << " .. " << packing.total;
  EXPECT_GT(packing.total, round_up(packing.busiest, problem.granularity));
}

TEST(Pack, KeepsTheDeclaredOrderWhereItIsOptimal) {
  PackProblem problem;
  for (int64_t size : {64, 16, 128, 32}) problem.items.push_back({size, 16});
  problem.conflicts.assign(4, std::vector<bool>(4, true));
  for (int i = 0; i < 4; ++i) problem.conflicts[i][i] = false;
  EXPECT_EQ(pack(problem).offsets, (std::vector<int64_t>{0, 64, 80, 208}));
}

TEST(Pack, ReordersOnlyToAvoidPadding) {
  PackProblem problem;  // a 4-byte item before an aligned one would cost 1,020 bytes
  problem.items = {{4, 4}, {1024, 1024}};
  problem.conflicts = {{false, true}, {true, false}};
  const Packing packing = pack(problem);
  EXPECT_EQ(packing.offsets, (std::vector<int64_t>{1024, 0}));
  EXPECT_EQ(packing.total, 1028);
}

TEST(Pack, NothingNeedsNothing) { EXPECT_EQ(pack({}).total, 0); }

TEST(Pack, SixtyFiveItemsAreStillPackedWithABound) {
  PackProblem problem;
  problem.items.assign(65, {32, 32});
  problem.conflicts.assign(65, std::vector<bool>(65, true));
  for (int i = 0; i < 65; ++i) problem.conflicts[i][i] = false;
  const Packing packing = pack(problem);
  EXPECT_EQ(packing.total, 65 * 32);
  EXPECT_TRUE(packing.is_optimal());
}

}  // namespace
}  // namespace warpledger::plan
