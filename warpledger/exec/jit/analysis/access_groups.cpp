#include "warpledger/exec/jit/analysis/access_groups.h"

#include <algorithm>
#include <map>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/jit/analysis/registers.h"

namespace warpledger::exec::jit {
namespace {

using ptx::Op;
using reference::Step;
using reference::Value;

constexpr int64_t kFarthest = 1 << 20;  // of a group, from its leader

bool moves_matrices(const Step& step) {
  return step.spelling().op() == Op::kLdmatrix || step.spelling().op() == Op::kStmatrix;
}

const Value& address_of(const Step& step) {
  const Op op = step.spelling().op();
  return step.operands[op == Op::kLd || op == Op::kLdmatrix ? 1 : 0];
}

int64_t width_of(const Step& step) {
  return moves_matrices(step) ? 16 : step.variant->type[0].bits / 8 * step.spelling().vector;
}

// The same kind of access: what is a pattern of one is one of the other.
bool are_alike(const Step& a, const Step& b) {
  if (a.spelling().space() != b.spelling().space() || moves_matrices(a) != moves_matrices(b))
    return false;
  if (moves_matrices(a)) return matrices_of(a) == matrices_of(b);
  return a.variant->type[0].bits == b.variant->type[0].bits &&
         a.spelling().vector == b.spelling().vector;
}

class Grouper {
 public:
  explicit Grouper(Analysis& analysis) : a_(analysis), code_(*analysis.code) {}

  void run() {
    a_.memory_index.assign(code_.steps.size(), kNowhere);
    for (size_t pc = 0; pc < code_.steps.size(); ++pc) {
      const Step& step = code_.steps[pc];
      const uint32_t windows = windows_of(step);
      if (windows != 0) a_.memory_index[pc] = a_.windows;
      a_.windows += windows;
      a_.copies |= step.spelling().op() == Op::kCpAsync && !step.dropped;
      a_.polls |= may_spin(step) && !step.dropped;
    }
    a_.leader.assign(code_.steps.size(), kNowhere);
    a_.from_leader.assign(code_.steps.size(), 0);
    a_.span.assign(code_.steps.size(), {0, 0});
    for (uint32_t b = 0; b < blocks().size(); ++b) group(b);
  }

 private:
  [[nodiscard]] const std::vector<ptx::Block>& blocks() const { return a_.flow.cfg.blocks; }

  void group(uint32_t b) {
    std::map<uint32_t, uint32_t> leaders;  // by base register
    for (uint32_t pc = blocks()[b].first; pc < blocks()[b].end; ++pc) {
      const Step& step = code_.steps[pc];
      if (windows_of(step) == 2 && stands_steadily(step, b)) a_.leader[pc] = pc;
      if (windows_of(step) == 1 && has_window(step) && stands_steadily(step, b)) {
        a_.leader[pc] = pc;
        const Value& at = address_of(step);
        if (at.kind == Value::Kind::kIndirect && step.guard == UINT32_MAX)
          join_group(leaders, at, pc);
      }
      for_each_written(code_, step, [&](uint32_t slot) { leaders.erase(slot); });
    }
  }

  // In the innermost loop around the block.
  [[nodiscard]] bool has_steady_lanes(uint32_t slot, uint32_t b) {
    const uint32_t loop = a_.flow.innermost[b];
    if (loop == kNowhere || a_.holding[slot] == Holding::kUniform) return true;
    auto [found, is_new] = varying_lanes_.try_emplace(loop);
    if (is_new) found->second = find_varying_lanes(a_, loop);
    return !found->second[slot];
  }

  [[nodiscard]] bool stands_steadily(const Step& step, uint32_t b) {
    for (const Value& at : step.operands) {
      if (at.kind == Value::Kind::kIndirect && !has_steady_lanes(at.slot, b)) return false;
    }
    return true;
  }

  void join_group(std::map<uint32_t, uint32_t>& leaders, const Value& at, uint32_t pc) {
    const auto [found, is_new] = leaders.emplace(at.slot, pc);
    if (is_new) return;
    const Step &first = code_.steps[found->second], &step = code_.steps[pc];
    const auto delta = static_cast<int64_t>(at.value - address_of(first).value);
    const bool near = -kFarthest < delta && delta < kFarthest;
    if (!near || !are_alike(first, step) || delta % width_of(step) != 0) {
      found->second = pc;
      return;
    }
    a_.leader[pc] = found->second;
    a_.from_leader[pc] = delta;
    auto& [low, high] = a_.span[found->second];
    low = std::min(low, delta);
    high = std::max(high, delta);
  }

  Analysis& a_;
  const reference::Code& code_;
  std::map<uint32_t, std::vector<bool>> varying_lanes_;  // by loop
};

}  // namespace

void group_accesses(Analysis& analysis) { Grouper(analysis).run(); }

}  // namespace warpledger::exec::jit
