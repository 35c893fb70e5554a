// Packing: items with a size, an alignment and a conflict graph (who lives at the same time as
// whom) get offsets of the smallest total. This is dynamic storage allocation; NP-hard, but kernels
// have few buffers, so the answer here is proven.
//
// The idea. Take, among all packings of the smallest total, one whose offsets add up to the least:
// nothing in it can move down. Read its items from low to high offset: each stands exactly on the
// highest of the conflicting items before it. So it is enough to search orders in which offsets do
// not fall, and an item that would fit wholly below the next one ends a branch. A branch also ends
// when some clique of items that all conflict cannot be stacked on what is placed already, and
// when a state no better than one that failed is met again (same items placed, nobody lower). An
// item whose place has been passed over waits for a later one to stand on, which counts in both.
//
// Candidates are tried in the order of declaration, so that a declared order that is optimal is the
// one that comes out. Work is counted in nodes, never in seconds: the answer does not depend on the
// machine.
#pragma once

#include <cstdint>
#include <vector>

namespace warpledger::plan {

struct PackItem {
  int64_t size = 0;
  int64_t alignment = 1;  // a power of two
};

/// Pre: conflicts is square, symmetric, with a false diagonal.
struct PackProblem {
  std::vector<PackItem> items;
  std::vector<std::vector<bool>> conflicts;
  int64_t granularity = 1;       // the total is rounded up to this
  int64_t node_limit = 2000000;  // for the bound, for the total, and for the order: about 10 s
};

/// Post: conflicting items do not overlap, every offset is aligned, lower_bound <= total.
struct Packing {
  std::vector<int64_t> offsets;
  int64_t total = 0;
  int64_t lower_bound = 0;  // proven: no packing is smaller
  int64_t busiest = 0;      // the largest sum of items that all conflict: the padding is the rest
  int64_t nodes = 0;
  [[nodiscard]] bool is_optimal() const { return total == lower_bound; }
};

[[nodiscard]] Packing pack(const PackProblem& problem);

/// Each item of `order` in turn at the lowest free place: what Triton and most compilers do.
[[nodiscard]] Packing first_fit(const PackProblem& problem, const std::vector<int>& order);

/// Sets of items that all conflict with each other, each maximal, heaviest first; at most `limit`.
[[nodiscard]] std::vector<std::vector<int>> cliques(const PackProblem& problem, int limit);

}  // namespace warpledger::plan
