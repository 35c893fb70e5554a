// Counts that keep the law of flow and lie nearest to estimates that contradict each other.
//
//   minimize   sum over blocks and edges of weight |count - estimate|
//   such that  count(b) = sum of its in-edges = sum of its out-edges, nothing is negative
//
// A flow of least cost: units are moved along the cheapest way from where too many are to where
// they are missing, by Dijkstra's algorithm with potentials (Ahuja, Magnanti and Orlin, Network
// Flows, 1993, chapter 9). It knows blocks, not what they do or where the estimates come from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

struct Estimate {
  uint64_t count = 0;
  uint64_t weight = 1;  // what a unit more or less costs
};

/// What is told of each block, and of some edges, from block to block.
struct Estimates {
  std::vector<Estimate> blocks;
  std::map<std::pair<uint32_t, uint32_t>, Estimate> edges = {};
};

/// Entries from outside, by block; nothing: not known how many.
using Entries = std::map<uint32_t, std::optional<uint64_t>>;

/// The count of each block; nothing where no flow gets from the entries to an exit.
/// Pre: an estimate for each block, and blocks tell all their successors.
[[nodiscard]] std::optional<std::vector<uint64_t>> nearest_flow(
    const std::vector<SassBlock>& blocks, const Estimates& estimates, const Entries& entries);

}  // namespace warpledger::sass
