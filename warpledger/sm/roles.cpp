#include "warpledger/sm/roles.h"

#include <algorithm>
#include <deque>
#include <set>

#include "warpledger/sm/flow.h"

namespace warpledger::sm {
namespace {

/// Whose operations may come first from the start of each block on. Those that no warp of the role
/// has are passed.
std::vector<std::vector<uint32_t>> first_operations(const std::vector<Block>& blocks,
                                                    const std::vector<Instruction>& code,
                                                    const std::set<uint32_t>& own) {
  std::vector<std::set<uint32_t>> first(blocks.size());
  std::vector<bool> is_closed(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b) {
    for (uint32_t i = blocks[b].first; i < blocks[b].end && !is_closed[b]; ++i) {
      if (code[i].sync < 0 || !own.contains(static_cast<uint32_t>(code[i].sync))) continue;
      first[b] = {static_cast<uint32_t>(code[i].sync)};
      is_closed[b] = true;
    }
    if (!is_closed[b] && (blocks[b].leaves > 0 || blocks[b].next.empty())) first[b] = {Paths::kEnd};
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (size_t b = blocks.size(); b-- > 0;) {
      if (is_closed[b]) continue;
      const size_t before = first[b].size();
      for (const Edge& edge : blocks[b].next)
        first[b].insert(first[edge.to].begin(), first[edge.to].end());
      grows |= first[b].size() != before;
    }
  }
  std::vector<std::vector<uint32_t>> made;
  for (const std::set<uint32_t>& one : first) made.emplace_back(one.begin(), one.end());
  return made;
}

/// PTX does not tell the loop that asks again from the first question. Here the first answer comes
/// when the phase has ended: nobody goes there.
std::vector<double> without_retries(const std::vector<sass::SassBlock>& blocks,
                                    const std::vector<Instruction>& code,
                                    std::vector<double> executions) {
  const auto asks = [](const Instruction& one) { return one.kind == Kind::kPhaseWait; };
  std::vector<bool> is_zeroed(blocks.size());
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (repeats(blocks, b) &&
        std::any_of(code.begin() + blocks[b].first, code.begin() + blocks[b].end, asks))
      is_zeroed[b] = true;
    if (is_zeroed[b]) executions[b] = 0;
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) {  // nor where these alone lead
    const std::vector<uint32_t>& before = blocks[b].predecessors;
    const auto is_retry = [&](uint32_t u) { return is_zeroed[u]; };
    if (!before.empty() && std::all_of(before.begin(), before.end(), is_retry)) executions[b] = 0;
  }
  return executions;
}

/// Blocks on the shortest way from where the warps got to, to one that ran beyond a gap: of a few
/// warps, counts tell fewer blocks than of all. Empty where no gap is left.
std::vector<uint32_t> next_gap(const std::vector<sass::SassBlock>& blocks,
                               const std::vector<double>& executions) {
  std::vector<uint32_t> from(blocks.size(), 0);
  std::vector<bool> is_met(blocks.size());
  std::deque<uint32_t> open = {0};
  is_met[0] = true;
  const auto meet = [&](uint32_t u, bool ran) {
    for (const uint32_t v : blocks[u].successors) {
      if (is_met[v] || (executions[v] > 0) != ran) continue;
      is_met[v] = true;
      from[v] = u;
      open.push_back(v);
    }
  };
  std::vector<uint32_t> reached;
  for (; !open.empty(); open.pop_front()) {
    reached.push_back(open.front());
    meet(open.front(), true);
  }
  for (const uint32_t u : reached) meet(u, false);
  for (; !open.empty(); open.pop_front()) {
    const uint32_t u = open.front();
    const std::vector<uint32_t>& next = blocks[u].successors;
    const auto is_there = [&](uint32_t v) { return !is_met[v] && executions[v] > 0; };
    if (std::any_of(next.begin(), next.end(), is_there)) {
      std::vector<uint32_t> gap;
      for (uint32_t at = u; executions[at] == 0; at = from[at]) gap.push_back(at);
      return gap;
    }
    meet(u, false);
  }
  return {};
}

}  // namespace

void add_roles(const std::vector<sass::SassBlock>& from, const Counts& counts, Program& program) {
  const Paths& paths = *counts.paths;
  for (uint32_t r = 0; r < paths.executions.size(); ++r) {
    std::set<uint32_t> own;
    for (uint32_t warp = 0; warp < paths.role.size(); ++warp) {
      if (paths.role[warp] != r) continue;
      for (const SyncOp& op : paths.ops[warp]) own.insert(op.stream);
    }
    Role& role = program.roles.emplace_back();
    std::vector<double> executions = without_retries(from, program.code, paths.executions[r]);
    if (!executions.empty()) executions[0] = std::max(1.0, executions[0]);
    for (auto gap = next_gap(from, executions); !gap.empty(); gap = next_gap(from, executions))
      for (const uint32_t block : gap) executions[block] = 1;
    role.blocks = linked(from, {.executions = std::move(executions)});
    role.first = first_operations(role.blocks, program.code, own);
  }
  program.role_of = paths.role;
  program.ops = paths.ops;
  program.barriers = paths.barriers;
}

}  // namespace warpledger::sm
