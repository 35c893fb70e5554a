#include "warpledger/sass/witness/loops.h"

#include <algorithm>

#include "warpledger/ptx/dominators.h"
#include "warpledger/sass/witness/flow.h"

namespace warpledger::sass {
namespace {

std::vector<uint32_t> reverse_post_order(const ptx::Cfg& cfg) {
  std::vector<uint32_t> order, stack = {0};
  std::vector<size_t> next(cfg.blocks.size());
  std::vector<bool> seen(cfg.blocks.size());
  seen[0] = true;
  while (!stack.empty()) {
    const uint32_t block = stack.back();
    const std::vector<uint32_t>& successors = cfg.blocks[block].successors;
    if (next[block] == successors.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const uint32_t successor = successors[next[block]++];
    if (successor >= seen.size() || seen[successor]) continue;
    seen[successor] = true;
    stack.push_back(successor);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// The blocks from which `tail` is reached without passing `header`, and the header.
std::vector<uint32_t> body_of(const ptx::Cfg& cfg, uint32_t header, uint32_t tail) {
  std::vector<uint32_t> body = {header}, waiting = {tail};
  while (!waiting.empty()) {
    const uint32_t block = waiting.back();
    waiting.pop_back();
    if (std::find(body.begin(), body.end(), block) != body.end()) continue;
    body.push_back(block);
    for (const uint32_t source : cfg.blocks[block].predecessors) waiting.push_back(source);
  }
  std::sort(body.begin(), body.end());
  return body;
}

}  // namespace

Loop innermost_loop(const ptx::Cfg& cfg, uint32_t block) {
  if (cfg.blocks.empty()) return {};
  const auto dominator = ptx::immediate_dominators(
      reverse_post_order(cfg), cfg.blocks.size(),
      [&](uint32_t node) -> const std::vector<uint32_t>& { return cfg.blocks[node].predecessors; });
  const auto dominates = [&](uint32_t a, uint32_t b) {
    while (b != a && dominator[b] != ptx::kNoDominator && dominator[b] != b) b = dominator[b];
    return a == b;
  };
  Loop best;
  for (uint32_t tail = 0; tail < cfg.blocks.size(); ++tail) {
    if (dominator[tail] == ptx::kNoDominator) continue;
    for (const uint32_t header : cfg.blocks[tail].successors) {
      if (header >= cfg.blocks.size() || !dominates(header, tail)) continue;
      std::vector<uint32_t> body = body_of(cfg, header, tail);
      if (!std::binary_search(body.begin(), body.end(), block)) continue;
      if (best.blocks.empty() || body.size() < best.blocks.size()) best = {header, std::move(body)};
    }
  }
  return best;
}

void derive_edges(const ptx::Cfg& cfg, FunctionCounts& counts) {
  std::vector<SassBlock> blocks;
  for (const ptx::Block& block : cfg.blocks)
    blocks.push_back({.successors = block.successors, .leaves = block.leaves});
  for (SassBlock& block : blocks)
    std::erase_if(block.successors, [&](uint32_t next) { return next >= blocks.size(); });
  Flow flow(blocks);
  if (!blocks.empty()) flow.set_entered(0, counts.blocks[0]);
  for (uint32_t b = 0; b < blocks.size(); ++b) flow.set_block(b, counts.blocks[b]);
  for (const auto& [ends, count] : counts.edges) flow.set_edge(ends.first, ends.second, count);
  flow.propagate();
  for (uint32_t b = 0; b < blocks.size(); ++b)
    for (const uint32_t next : blocks[b].successors)
      if (const auto count = flow.edge(b, next)) counts.edges.try_emplace({b, next}, *count);
}

std::optional<uint64_t> loop_entries(const ptx::Cfg& cfg, const Loop& loop,
                                     const FunctionCounts& counts) {
  if (loop.blocks.empty()) return {};
  uint64_t entries = loop.header == 0 ? counts.blocks[0] : 0;
  for (const uint32_t source : cfg.blocks[loop.header].predecessors) {
    if (std::binary_search(loop.blocks.begin(), loop.blocks.end(), source)) continue;
    const auto found = counts.edges.find({source, loop.header});
    if (found == counts.edges.end()) return {};
    entries += found->second;
  }
  return entries;
}

}  // namespace warpledger::sass
