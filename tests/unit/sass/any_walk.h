// Random graphs of blocks, and what warps that walk them at random count.
#pragma once

#include <map>

#include "tests/support/law.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

/// Every block leads to the last one, which leaves.
inline std::vector<SassBlock> any_graph(testing::Rng& rng) {
  const auto size = static_cast<uint32_t>(rng.between(1, 2 + rng.size() / 8));
  std::vector<SassBlock> blocks(size);
  for (uint32_t b = 0; b < size; ++b) {
    blocks[b].leaves = b + 1 == size || rng.between(0, 9) == 0;
    if (b + 1 < size) blocks[b].successors.push_back(b + 1);
    const auto other = static_cast<uint32_t>(rng.between(0, size - 1));
    if (rng.coin() && other != b + 1 && b + 1 < size) blocks[b].successors.push_back(other);
  }
  return blocks;
}

/// A graph that was walked from block 0 until a leaving block: its true counts.
struct Walked {
  std::vector<SassBlock> blocks;
  std::vector<uint64_t> counts = {};
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> edges = {};
  uint64_t walks = 0;
};

inline void walk(testing::Rng& rng, Walked& walked) {
  uint32_t at = 0;
  for (int steps = 0;; ++steps) {
    ++walked.counts[at];
    const SassBlock& block = walked.blocks[at];
    if (block.successors.empty() || (block.leaves && rng.coin())) return;
    const uint32_t next = steps > 50 ? block.successors[0] : rng.pick(block.successors);
    ++walked.edges[{at, next}];
    at = next;
  }
}

inline Walked any_walk(testing::Rng& rng, std::vector<SassBlock> blocks) {
  Walked walked{.blocks = std::move(blocks)};
  walked.counts.resize(walked.blocks.size());
  walked.walks = static_cast<uint64_t>(rng.between(0, 20));
  for (uint64_t i = 0; i < walked.walks; ++i) walk(rng, walked);
  return walked;
}

}  // namespace warpledger::sass
