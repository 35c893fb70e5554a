#include "warpledger/sm/flow.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace warpledger::sm {
namespace {

constexpr int kPasses = 1000;
constexpr double kLeast = 0.01;  // a branch that fewer take is taken to lead the other way always

/// Executions of edges from those of blocks. Leaving the code is an edge, too.
class Fitting {
 public:
  Fitting(const std::vector<sass::SassBlock>& blocks, std::vector<double> executions)
      : executions_(std::move(executions)) {
    for (uint32_t u = 0; u < blocks.size(); ++u) {
      for (const uint32_t v : blocks[u].successors)
        edges_.push_back({u, v, std::min(executions_[u], executions_[v])});
      const double share = blocks[u].successors.empty() ? 1 : 0.5;
      if (blocks[u].leaves) edges_.push_back({u, kOut, executions_[u] * share});
    }
  }

  void run() {
    double worst = 1;
    for (int pass = 0; pass < kPasses && worst > 1e-6; ++pass) {
      worst = scale(&Flow::from);
      worst = std::max(worst, scale(&Flow::to));
    }
    scale(&Flow::from);
  }

  /// Of the executions of `from`.
  [[nodiscard]] double share(uint32_t from, uint32_t to) const {
    for (const Flow& edge : edges_)
      if (edge.from == from && edge.to == to)
        return executions_[from] > 0 ? edge.times / executions_[from] : 0;
    return 0;
  }
  static constexpr uint32_t kOut = UINT32_MAX;

 private:
  struct Flow {
    uint32_t from = 0, to = 0;
    double times = 0;
  };
  /// So that the edges at one side of each block add up to it. Returns the largest correction.
  double scale(uint32_t Flow::*side) {
    std::vector<double> sums(executions_.size());
    for (const Flow& edge : edges_)
      if (edge.*side != kOut) sums[edge.*side] += edge.times;
    double worst = 0;
    for (Flow& edge : edges_) {
      const uint32_t at = edge.*side;
      if (at == kOut || (at == 0 && side == &Flow::to) || sums[at] <= 0) continue;
      const double factor = executions_[at] / sums[at];
      worst = std::max(worst, std::abs(factor - 1));
      edge.times *= factor;
    }
    return worst;
  }

  std::vector<double> executions_;
  std::vector<Flow> edges_;
};

/// Natural loops, the smallest first.
std::vector<std::set<uint32_t>> loops_of(const std::vector<sass::SassBlock>& blocks,
                                         const std::vector<double>& executions) {
  std::vector<std::set<uint32_t>> loops;
  for (uint32_t u = 0; u < blocks.size(); ++u) {
    for (const uint32_t head : blocks[u].successors) {
      if (head > u || executions[u] == 0 || executions[head] == 0) continue;
      std::set<uint32_t> loop = {head, u};
      std::vector<uint32_t> open;
      if (u != head) open.push_back(u);
      while (!open.empty()) {
        const uint32_t at = open.back();
        open.pop_back();
        for (const uint32_t from : blocks[at].predecessors)
          if (executions[from] > 0 && loop.insert(from).second) open.push_back(from);
      }
      loops.push_back(std::move(loop));
    }
  }
  std::stable_sort(loops.begin(), loops.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return loops;
}

/// The edge that stays in the innermost loop around `block` where the other leaves it.
int32_t staying_edge(const Block& block, uint32_t at,
                     const std::vector<std::set<uint32_t>>& loops) {
  if (block.next.size() != 2) return -1;
  for (const std::set<uint32_t>& loop : loops) {
    if (!loop.contains(at)) continue;
    const bool first = loop.contains(block.next[0].to), second = loop.contains(block.next[1].to);
    return first == second ? -1 : first ? 0 : 1;
  }
  return -1;
}

/// Counts that a mean of a few warps blurs: trips of a loop are whole where nearly so.
void round_shares(Block& block) {
  if (block.next.size() != 2) return;
  double& first = block.next[0].share;
  double& second = block.next[1].share;
  if (block.stays_in_loop >= 0) {
    double& leaves = block.stays_in_loop == 0 ? second : first;
    const double trips = 1 / std::max(leaves, 1e-9);
    if (std::abs(trips - std::round(trips)) < 0.03 * trips + 0.05) leaves = 1 / std::round(trips);
    (block.stays_in_loop == 0 ? first : second) = 1 - leaves;
  } else if (first < kLeast || second < kLeast) {
    first = first < kLeast ? 0 : 1;
    second = 1 - first;
  }
}

/// The map of SASS leaves some blocks without a count: the entry, and what lies on the only way to
/// a block that ran.
std::vector<double> mended(const std::vector<sass::SassBlock>& blocks, const Counts& counts) {
  std::vector<double> executions = counts.executions;
  if (!executions.empty() && executions[0] == 0) executions[0] = counts.warps;
  for (int pass = 0; pass < 4; ++pass) {
    for (uint32_t v = 0; v < blocks.size(); ++v) {
      if (executions[v] == 0) continue;
      std::vector<uint32_t> before;
      for (const uint32_t u : blocks[v].predecessors)
        if (u < v) before.push_back(u);
      const auto ran = [&](uint32_t u) { return executions[u] > 0; };
      if (before.empty() || std::any_of(before.begin(), before.end(), ran)) continue;
      for (const uint32_t u : before) {
        const std::vector<uint32_t>& from = blocks[u].predecessors;
        if (!std::any_of(from.begin(), from.end(), ran)) continue;
        executions[u] = std::min(executions[v], counts.warps);
        break;
      }
    }
  }
  return executions;
}

}  // namespace

bool repeats(const std::vector<sass::SassBlock>& blocks, uint32_t block) {
  const std::vector<uint32_t>& next = blocks[block].successors;
  return std::find(next.begin(), next.end(), block) != next.end();
}

std::vector<Block> linked(const std::vector<sass::SassBlock>& from, const Counts& counts) {
  std::vector<Block> made;
  const std::vector<double> executions = mended(from, counts);
  Fitting fitting(from, executions);
  fitting.run();
  const std::vector<std::set<uint32_t>> loops = loops_of(from, executions);
  for (uint32_t u = 0; u < from.size(); ++u) {
    Block& block = made.emplace_back();
    block.first = from[u].first;
    block.end = from[u].end;
    block.executions = executions[u] / std::max(1.0, counts.warps);
    block.leaves = from[u].leaves ? fitting.share(u, Fitting::kOut) : 0;
    double stays = 0;
    for (const uint32_t v : from[u].successors) {
      const double share = fitting.share(u, v);
      if (share <= 1e-9) continue;
      block.next.push_back({v, share});
      stays += share;
    }
    for (Edge& edge : block.next) edge.share /= stays;
    block.stays_in_loop = staying_edge(block, u, loops);
    round_shares(block);
  }
  return made;
}

}  // namespace warpledger::sm
