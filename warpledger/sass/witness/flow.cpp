#include "warpledger/sass/witness/flow.h"

namespace warpledger::sass {

Flow::Flow(const std::vector<SassBlock>& blocks)
    : count_(blocks.size()),
      in_(blocks.size()),
      out_(blocks.size()),
      is_in_complete_(blocks.size(), true),
      is_out_complete_(blocks.size(), true) {
  bool has_unknown = false;
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    for (const uint32_t next : blocks[b].successors) {
      const size_t edge = add_edge(b, next);
      out_[b].push_back(edge);
      in_[next].push_back(edge);
    }
    if (blocks[b].leaves) {
      out_[b].push_back(edges_.size());
      edges_.push_back({});
    }
    // Nobody enters from outside until set_entered or open_entry says so.
    entered_.push_back(edges_.size());
    in_[b].push_back(edges_.size());
    edges_.push_back({.count = 0});
    is_out_complete_[b] = !blocks[b].has_unknown_successors;
    has_unknown = has_unknown || (blocks[b].has_unknown_successors && blocks[b].is_reachable);
    if (!blocks[b].is_reachable) count_[b] = 0;
  }
  if (has_unknown) is_in_complete_.assign(blocks.size(), false);
}

size_t Flow::add_edge(uint32_t from, uint32_t to) {
  edge_of_[{from, to}] = edges_.size();
  edges_.push_back({});
  return edges_.size() - 1;
}

void Flow::set_block(uint32_t block, uint64_t count) { count_[block] = count; }

void Flow::set_edge(uint32_t from, uint32_t to, uint64_t count) {
  const auto found = edge_of_.find({from, to});
  if (found != edge_of_.end()) edges_[found->second].count = count;
}

std::optional<uint64_t> Flow::edge(uint32_t from, uint32_t to) const {
  const auto found = edge_of_.find({from, to});
  return found == edge_of_.end() ? std::nullopt : edges_[found->second].count;
}

void Flow::set_entered(uint32_t block, uint64_t count) { edges_[entered_[block]].count = count; }

void Flow::open_entry(uint32_t block) { edges_[entered_[block]].count.reset(); }

/// One step on one side of a block; whether something became known.
bool Flow::follow(uint32_t block, const Side& side) {
  uint64_t known = 0;
  std::vector<size_t> unknown;
  for (const size_t edge : side) {
    if (edges_[edge].count)
      known += *edges_[edge].count;
    else
      unknown.push_back(edge);
  }
  if (unknown.empty()) {
    if (count_[block] || side.empty()) return false;
    count_[block] = known;
    return true;
  }
  if (!count_[block] || known > *count_[block]) return false;
  if (unknown.size() > 1 && known != *count_[block]) return false;
  for (const size_t edge : unknown) edges_[edge].count = 0;
  edges_[unknown[0]].count = *count_[block] - known;
  return true;
}

void Flow::propagate() {
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < count_.size(); ++b) {
      if (is_in_complete_[b] && follow(b, in_[b])) changed = true;
      if (is_out_complete_[b] && follow(b, out_[b])) changed = true;
    }
  }
}

std::vector<uint32_t> Flow::violations() const {
  std::vector<uint32_t> found;
  const auto breaks_law = [&](uint32_t block, const Side& side) {
    uint64_t known = 0;
    bool is_complete = true;
    for (const size_t edge : side) {
      known += edges_[edge].count.value_or(0);
      is_complete = is_complete && edges_[edge].count;
    }
    return known > *count_[block] || (is_complete && known != *count_[block]);
  };
  for (uint32_t b = 0; b < count_.size(); ++b) {
    if (!count_[b]) continue;
    if ((is_in_complete_[b] && breaks_law(b, in_[b])) ||
        (is_out_complete_[b] && breaks_law(b, out_[b])))
      found.push_back(b);
  }
  return found;
}

}  // namespace warpledger::sass
