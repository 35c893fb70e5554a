#include "warpledger/plan/pack.h"

#include <algorithm>
#include <numeric>

#include "warpledger/base/check.h"
#include "warpledger/base/units.h"
#include "warpledger/plan/pack_search.h"

namespace warpledger::plan {
namespace {

constexpr int kMaxCliques = 256;  // more bound little more and cost time in every node
constexpr int kFewCliques = 16;   // of a plan too large to search: only the bound is wanted

int64_t total_of(const PackProblem& problem, const std::vector<int64_t>& offsets) {
  int64_t end = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    end = std::max(end, offsets[i] + problem.items[i].size);
  }
  return round_up(end, problem.granularity);
}

Packing best_first_fit(const PackProblem& problem) {
  std::vector<int> order(problem.items.size());
  std::iota(order.begin(), order.end(), 0);
  Packing best = first_fit(problem, order);
  const auto consider = [&](const std::vector<int>& candidate) {
    Packing other = first_fit(problem, candidate);
    if (other.total < best.total) best = std::move(other);
  };
  std::vector<int> by_size = order;
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](int a, int b) { return problem.items[a].size > problem.items[b].size; });
  consider(by_size);
  std::vector<int> by_alignment = by_size;
  std::stable_sort(by_alignment.begin(), by_alignment.end(), [&](int a, int b) {
    return problem.items[a].alignment > problem.items[b].alignment;
  });
  consider(by_alignment);
  return best;
}

int clique_limit(const PackProblem& problem) {
  return problem.items.size() > kMaxExactItems ? kFewCliques : kMaxCliques;
}

/// Narrows [best.lower_bound, best.total] with searches; on return they meet, or one gave up.
class Narrowing {
 public:
  explicit Narrowing(const PackProblem& problem)
      : problem_(problem),
        bounds_(cliques(problem, clique_limit(problem))),
        best_(best_first_fit(problem)) {
    if (!bounds_.empty()) {
      for (int item : bounds_.front()) best_.busiest += problem.items[item].size;
    }
    best_.lower_bound = round_up(best_.busiest, problem.granularity);
  }

  Packing run() {
    if (problem_.items.size() > kMaxExactItems) return best_;
    const int64_t heaviest = best_.lower_bound;
    const Outcome outcome = try_limit(heaviest, problem_.node_limit);
    if (outcome == Outcome::kFound) return best_;
    if (outcome == Outcome::kImpossible) best_.lower_bound += problem_.granularity;
    const int64_t last_node = best_.nodes + problem_.node_limit;
    while (!best_.is_optimal()) {
      const Outcome smaller =
          try_limit(best_.total - problem_.granularity, last_node - best_.nodes);
      if (smaller == Outcome::kGaveUp) return best_;
      if (smaller == Outcome::kImpossible) best_.lower_bound = best_.total;
    }
    // Of the packings with the best total, the one that comes first in the order of declaration.
    if (best_.total != heaviest) (void)try_limit(best_.total, problem_.node_limit);
    return best_;
  }

 private:
  Outcome try_limit(int64_t limit, int64_t node_limit) {
    Searched found = search_packing(problem_, bounds_, limit, node_limit);
    best_.nodes += found.nodes;
    if (found.outcome == Outcome::kFound) {
      best_.offsets = std::move(found.offsets);
      best_.total = total_of(problem_, best_.offsets);
    }
    return found.outcome;
  }

  const PackProblem& problem_;
  std::vector<std::vector<int>> bounds_;
  Packing best_;
};

}  // namespace

Packing first_fit(const PackProblem& problem, const std::vector<int>& order) {
  Packing result;
  result.offsets.assign(problem.items.size(), 0);
  std::vector<int> placed;
  for (int item : order) {
    const PackItem& one = problem.items[item];
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (int other : placed) {
        const int64_t end = result.offsets[other] + problem.items[other].size;
        const bool overlaps = result.offsets[other] < offset + one.size && offset < end;
        if (!problem.conflicts[item][other] || !overlaps) continue;
        offset = round_up(end, one.alignment);
        moved = true;
      }
    }
    result.offsets[item] = offset;
    placed.push_back(item);
  }
  result.total = total_of(problem, result.offsets);
  return result;
}

Packing pack(const PackProblem& problem) {
  for (const PackItem& item : problem.items) {
    WL_CHECK(item.size > 0 && item.alignment > 0 && (item.alignment & (item.alignment - 1)) == 0);
  }
  WL_CHECK(problem.conflicts.size() == problem.items.size());
  if (problem.items.empty()) return {};
  return Narrowing(problem).run();
}

}  // namespace warpledger::plan
