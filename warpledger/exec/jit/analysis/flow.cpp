#include "warpledger/exec/jit/analysis/flow.h"

#include <algorithm>

#include "warpledger/ptx/dominators.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;

std::vector<uint32_t> reverse_post_order(const ptx::Cfg& cfg) {
  std::vector<uint32_t> order;
  std::vector<bool> seen(cfg.blocks.size(), false);
  std::vector<std::pair<uint32_t, size_t>> stack = {{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    auto& [block, next] = stack.back();
    if (next == cfg.blocks[block].successors.size()) {
      order.push_back(block);
      stack.pop_back();
      continue;
    }
    const uint32_t to = cfg.blocks[block].successors[next++];
    if (seen[to]) continue;
    seen[to] = true;
    stack.push_back({to, 0});
  }
  std::ranges::reverse(order);
  return order;
}

void find_dominators(Flow& flow) {
  const std::vector<uint32_t> order = reverse_post_order(flow.cfg);
  flow.reached.assign(flow.cfg.blocks.size(), false);
  for (const uint32_t block : order) flow.reached[block] = true;
  flow.dominator = ptx::immediate_dominators(
      order, flow.cfg.blocks.size(), [&](uint32_t block) -> const auto& {
        return flow.cfg.blocks[block].predecessors;
      });
  flow.dominator[0] = kNowhere;
}

Loop natural_loop(const Flow& flow, uint32_t header, uint32_t latch) {
  Loop loop{header, std::vector<bool>(flow.cfg.blocks.size(), false)};
  loop.holds[header] = loop.holds[latch] = true;
  std::vector<uint32_t> work = {latch};
  while (!work.empty()) {
    const uint32_t block = work.back();
    work.pop_back();
    if (block == header) continue;
    for (const uint32_t p : flow.cfg.blocks[block].predecessors) {
      if (loop.holds[p]) continue;
      loop.holds[p] = true;
      work.push_back(p);
    }
  }
  return loop;
}

void find_loops(Flow& flow) {
  for (uint32_t b = 0; b < flow.cfg.blocks.size(); ++b) {
    for (const uint32_t to : flow.cfg.blocks[b].successors) {
      if (flow.reached[b] && flow.dominates(to, b)) flow.loops.push_back(natural_loop(flow, to, b));
    }
  }
  flow.innermost.assign(flow.cfg.blocks.size(), kNowhere);
  const auto size = [&](uint32_t loop) { return std::ranges::count(flow.loops[loop].holds, true); };
  for (uint32_t i = 0; i < flow.loops.size(); ++i) {
    for (uint32_t b = 0; b < flow.cfg.blocks.size(); ++b) {
      if (!flow.loops[i].holds[b]) continue;
      uint32_t& inner = flow.innermost[b];
      if (inner == kNowhere || size(i) < size(inner)) inner = i;
    }
  }
}

}  // namespace

bool Flow::dominates(uint32_t a, uint32_t b) const {
  for (; b != kNowhere; b = dominator[b]) {
    if (a == b) return true;
  }
  return false;
}

bool Flow::is_within(uint32_t inner, uint32_t instance) const {
  while (inner > instance) inner = instances[inner].parent;
  return inner == instance;
}

std::vector<bool> Flow::blocks_of(uint32_t instance) const {
  std::vector<bool> blocks(cfg.blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) blocks[b] = is_within(instance_of[b], instance);
  return blocks;
}

// Lanes that return from the block's function wait behind it.
std::vector<bool> Flow::region_from(uint32_t block, uint32_t start) const {
  std::vector<bool> inside(cfg.blocks.size(), false);
  std::vector<uint32_t> work;
  const auto add = [&](uint32_t to) {
    if (to == meets[block] || inside[to]) return;
    if (!is_within(instance_of[to], instance_of[block])) return;
    inside[to] = true;
    work.push_back(to);
  };
  add(start);
  while (!work.empty()) {
    const uint32_t from = work.back();
    work.pop_back();
    for (const uint32_t s : cfg.blocks[from].successors) add(s);
  }
  return inside;
}

std::vector<bool> Flow::region(uint32_t block) const {
  std::vector<bool> all(cfg.blocks.size(), false);
  for (const uint32_t s : cfg.blocks[block].successors) {
    const std::vector<bool> one = region_from(block, s);
    for (size_t i = 0; i < all.size(); ++i) all[i] = all[i] || one[i];
  }
  return all;
}

Flow find_flow(const ptx::Module& module, const reference::Code& code) {
  Flow flow;
  flow.cfg = reference::cfg_of(code, module);
  if (code.inlined != nullptr) {
    flow.meets = code.inlined->meets;
    flow.instance_of = code.inlined->instance_of;
    flow.instances = code.inlined->instances;
  } else {
    flow.meets = ptx::immediate_post_dominators(flow.cfg, ptx::EarlyExits::kIgnore);
    flow.instance_of.assign(flow.cfg.blocks.size(), 0);
    flow.instances.resize(1);
  }
  find_dominators(flow);
  find_loops(flow);
  return flow;
}

bool is_bare_exit(const reference::Code& code, const ptx::Block& block) {
  if (block.end - block.first != 1) return false;
  const reference::Step& step = code.steps[block.first];
  const Op op = step.spelling().op();
  return (op == Op::kRet || op == Op::kExit) && step.guard == UINT32_MAX && !step.mark_before;
}

}  // namespace warpledger::exec::jit
