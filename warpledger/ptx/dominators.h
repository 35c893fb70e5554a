// Immediate dominators, by Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm". On a
// reversed graph they are the post-dominators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpledger::ptx {

inline constexpr uint32_t kNoDominator = UINT32_MAX;

/// The immediate dominator of each of `nodes` nodes: the root's is itself, an unreached node has
/// kNoDominator. Pre: `order` is a reverse post order, so order[0] is the root; sources(n) are the
/// nodes with an edge to n.
template <class Sources>
[[nodiscard]] std::vector<uint32_t> immediate_dominators(const std::vector<uint32_t>& order,
                                                         size_t nodes, Sources sources) {
  std::vector<uint32_t> rank(nodes, 0), dominator(nodes, kNoDominator);
  for (uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  dominator[order[0]] = order[0];
  const auto meet = [&](uint32_t a, uint32_t b) {
    while (a != b) {
      while (rank[a] > rank[b]) a = dominator[a];
      while (rank[b] > rank[a]) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const uint32_t node : order) {
      if (node == order[0]) continue;
      uint32_t best = kNoDominator;
      for (const uint32_t s : sources(node)) {
        if (dominator[s] != kNoDominator) best = best == kNoDominator ? s : meet(best, s);
      }
      if (best != dominator[node]) dominator[node] = best, changed = true;
    }
  }
  return dominator;
}

}  // namespace warpledger::ptx
