// The search behind pack.h: is there a packing that ends at a limit? Orders of the items in which
// offsets do not fall are walked depth first; pack.h says why they are enough and what ends a
// branch.
#pragma once

#include <cstddef>

#include "warpledger/plan/pack.h"

namespace warpledger::plan {

inline constexpr size_t kMaxExactItems = 64;  // a set of items is one word

enum class Outcome { kFound, kImpossible, kGaveUp };

struct Searched {
  Outcome outcome = Outcome::kGaveUp;
  std::vector<int64_t> offsets;  // when found
  int64_t nodes = 0;
};

/// Is there a packing with every end <= limit? `bounds`: cliques that must fit below it too; after
/// `node_limit` nodes it gives up. Pre: at most kMaxExactItems items.
[[nodiscard]] Searched search_packing(const PackProblem& problem,
                                      const std::vector<std::vector<int>>& bounds, int64_t limit,
                                      int64_t node_limit);

}  // namespace warpledger::plan
