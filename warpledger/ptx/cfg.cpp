#include "warpledger/ptx/cfg.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/ptx/dominators.h"
#include "warpledger/ptx/printer.h"

namespace warpledger::ptx {
namespace {

bool ends_thread(Op op) { return op == Op::kRet || op == Op::kExit || op == Op::kTrap; }
bool branches(Op op) { return op == Op::kBra || op == Op::kBrxIdx; }

// The instructions that a branch may go to.
std::vector<uint32_t> targets_of(const Function& function, const Instruction& instruction) {
  const Operand& target = function.operands_of(instruction).back();
  if (target.kind == OperandKind::kLabel) return {function.labels[target.index].instruction};
  std::vector<uint32_t> result;
  if (target.kind != OperandKind::kTargets) return result;
  for (const uint32_t label : function.targets[target.index].targets) {
    result.push_back(function.labels[label].instruction);
  }
  return result;
}

void make_blocks(const Module& module, const Function& function, Cfg& cfg) {
  const auto count = static_cast<uint32_t>(function.instructions.size());
  std::vector<bool> leads(count + 1, false);
  leads[0] = true;
  for (const Label& label : function.labels) leads[label.instruction] = true;
  for (uint32_t i = 0; i < count; ++i) {
    const Op op = module.spelling(function.instructions[i]).op();
    if (branches(op) || ends_thread(op)) leads[i + 1] = true;
  }
  cfg.block_of.resize(count);
  for (uint32_t i = 0; i < count; ++i) {
    if (leads[i]) cfg.blocks.push_back({i, i, false, {}, {}});
    cfg.blocks.back().end = i + 1;
    cfg.block_of[i] = static_cast<uint32_t>(cfg.blocks.size() - 1);
  }
}

void connect(Cfg& cfg, const Module& module, const Function& function, uint32_t b) {
  Block& block = cfg.blocks[b];
  const Instruction& last = function.instructions[block.end - 1];
  const Op op = module.spelling(last).op();
  const auto add = [&](uint32_t instruction) {
    if (instruction == cfg.block_of.size()) {
      block.leaves = true;  // falling off the end returns
      return;
    }
    const uint32_t to = cfg.block_of[instruction];
    if (std::ranges::find(block.successors, to) != block.successors.end()) return;
    block.successors.push_back(to);
    cfg.blocks[to].predecessors.push_back(b);
  };
  if (branches(op)) {
    for (const uint32_t target : targets_of(function, last)) add(target);
  }
  if (ends_thread(op)) block.leaves = true;
  if ((!branches(op) && !ends_thread(op)) || last.guard != kNoGuard) add(block.end);
}

// The graph that post-dominance is asked of: nodes are the blocks and the exit, edges as in the
// text less those that `exits` drops, plus one to the exit from every part that cannot reach it.
struct ExitGraph {
  std::vector<std::vector<uint32_t>> successors;
  std::vector<std::vector<uint32_t>> predecessors;

  void add(uint32_t from, uint32_t to) {
    successors[from].push_back(to);
    predecessors[to].push_back(from);
  }
};

bool only_leaves(const Block& block) { return block.leaves && block.successors.empty(); }

// A block that leaves at once, or after work of its own while a later block leaves too: lanes that
// go there are not waited for. The last one that works is where the function's ways end.
std::vector<bool> early_exits(const Cfg& cfg) {
  std::vector<bool> early(cfg.blocks.size(), false);
  bool last = true;
  for (size_t b = cfg.blocks.size(); b-- > 0;) {
    const Block& block = cfg.blocks[b];
    if (!only_leaves(block)) continue;
    early[b] = block.end - block.first <= 1 || !last;
    last = false;
  }
  return early;
}

ExitGraph graph_of(const Cfg& cfg, EarlyExits exits) {
  const uint32_t exit = cfg.exit();
  const std::vector<bool> early = early_exits(cfg);
  ExitGraph graph{std::vector<std::vector<uint32_t>>(exit + 1),
                  std::vector<std::vector<uint32_t>>(exit + 1)};
  for (uint32_t b = 0; b < exit; ++b) {
    const Block& block = cfg.blocks[b];
    const bool stays = std::ranges::any_of(block.successors, [&](uint32_t s) { return !early[s]; });
    const bool drop = exits == EarlyExits::kIgnore && stays;
    for (const uint32_t s : block.successors) {
      if (!drop || !early[s]) graph.add(b, s);
    }
    if (block.leaves && !drop) graph.add(b, exit);
  }
  return graph;
}

// Blocks from the exit backwards in post-order of the reversed graph; marks them in `seen`.
void visit(const ExitGraph& graph, uint32_t start, std::vector<bool>& seen,
           std::vector<uint32_t>& order) {
  std::vector<std::pair<uint32_t, size_t>> stack = {{start, 0}};
  seen[start] = true;
  while (!stack.empty()) {
    auto& [node, next] = stack.back();
    if (next == graph.predecessors[node].size()) {
      order.push_back(node);
      stack.pop_back();
      continue;
    }
    const uint32_t before = graph.predecessors[node][next++];
    if (seen[before]) continue;
    seen[before] = true;
    stack.push_back({before, 0});
  }
}

std::vector<uint32_t> order_from_exit(ExitGraph& graph, uint32_t exit) {
  std::vector<bool> reaches(exit + 1, false);
  std::vector<uint32_t> order;
  visit(graph, exit, reaches, order);
  for (uint32_t b = exit; b-- > 0;) {
    if (reaches[b]) continue;
    graph.add(b, exit);
    visit(graph, b, reaches, order);
  }
  // The added edges change the order: walk once more.
  std::vector<bool> seen(exit + 1, false);
  order.clear();
  visit(graph, exit, seen, order);
  std::ranges::reverse(order);
  return order;
}

}  // namespace

Cfg build_cfg(const Module& module, const Function& function) {
  Cfg cfg;
  make_blocks(module, function, cfg);
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) connect(cfg, module, function, b);
  return cfg;
}

std::vector<uint32_t> immediate_post_dominators(const Cfg& cfg, EarlyExits exits) {
  const uint32_t exit = cfg.exit();
  ExitGraph graph = graph_of(cfg, exits);
  const std::vector<uint32_t> order = order_from_exit(graph, exit);  // joins endless loops to it
  std::vector<uint32_t> dominator = immediate_dominators(
      order, exit + 1,
      [&](uint32_t node) -> const std::vector<uint32_t>& { return graph.successors[node]; });
  dominator.pop_back();
  return dominator;
}

std::vector<uint32_t> reconvergence_points(const Cfg& cfg, const Function& function,
                                           EarlyExits exits) {
  std::vector<uint32_t> points = immediate_post_dominators(cfg, exits);
  const auto end = static_cast<uint32_t>(function.instructions.size());
  for (uint32_t& point : points) point = point == cfg.exit() ? end : cfg.blocks[point].first;
  return points;
}

std::string to_text(const Cfg& cfg, const Module& module, const Function& function) {
  const std::vector<uint32_t> meets = immediate_post_dominators(cfg);
  const auto name = [&](uint32_t b) { return b == cfg.exit() ? "end" : fmt::format("B{}", b); };
  std::string text;
  for (uint32_t b = 0; b < cfg.blocks.size(); ++b) {
    const Block& block = cfg.blocks[b];
    std::vector<std::string> to;
    for (const uint32_t s : block.successors) to.push_back(name(s));
    if (block.leaves) to.push_back("end");
    text += fmt::format("B{} [{},{}) -> {}", b, block.first, block.end, fmt::join(to, " "));
    if (to.size() > 1) text += fmt::format(", meets at {}", name(meets[b]));
    text +=
        fmt::format("\n    {}\n", print(module, function, function.instructions[block.end - 1]));
  }
  return text;
}

}  // namespace warpledger::ptx
