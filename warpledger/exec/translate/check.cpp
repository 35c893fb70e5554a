#include "warpledger/exec/translate/check.h"

#include <algorithm>
#include <map>

#include "warpledger/exec/jit/analysis/lowering.h"
#include "warpledger/exec/machine/table.h"

namespace warpledger::exec::translate {
namespace {

using jit::Analysis;
using machine::Instruction;
using reference::Step;

class Checker {
 public:
  Checker(const Analysis& analysis, const machine::Loaded& loaded)
      : a_(analysis), code_(loaded.program.instructions), polls_(loaded.may_poll) {}

  Status run(const std::vector<bool>& uniform) {
    for (uint32_t slot = 0; slot < uniform.size(); ++slot) {
      if (uniform[slot] && (a_.holding[slot] != jit::Holding::kUniform || a_.merges[slot]))
        return refusal("a uniform register differs by lane");
    }
    if (a_.code->by_address) return check_polling();
    for (uint32_t b = 0; b < blocks().size(); ++b) {
      if (!a_.flow.reached[b] || !a_.parts[b]) continue;
      if (const std::string why = fault_of(b); !why.empty())
        return refusal(why + " at '" + code_[number_of(b)].text + "'");
    }
    WL_TRY_STATUS(check_polling());
    if (std::ranges::none_of(a_.parts, [](bool parts) { return parts; })) return {};
    return check_convergence();
  }

 private:
  /// The interpreter gives lanes their turns where others may wait for them.
  [[nodiscard]] Status check_polling() const {
    const bool parts = std::ranges::any_of(a_.parts, [](bool some) { return some; });
    if (polls_ && parts) return refusal("its lanes may wait for each other");
    return {};
  }

  [[nodiscard]] const std::vector<ptx::Block>& blocks() const { return a_.flow.cfg.blocks; }
  [[nodiscard]] uint32_t exit() const { return a_.flow.cfg.exit(); }
  /// Numbers of machine instructions grow with their addresses.
  [[nodiscard]] uint32_t number_of(uint32_t b) const {
    return b == exit() ? UINT32_MAX : a_.code->steps[blocks()[b].end - 1].number;
  }
  [[nodiscard]] uint32_t first_of(uint32_t b) const {
    return b == exit() ? UINT32_MAX : a_.code->steps[blocks()[b].first].number;
  }

  /// The blocks that lanes may be in between that side of the branch and where they meet.
  [[nodiscard]] std::vector<bool> side(uint32_t b, uint32_t start) const {
    return a_.flow.region_from(b, start);
  }
  [[nodiscard]] bool lies_below(const std::vector<bool>& some, uint32_t limit) const {
    for (uint32_t b = 0; b < some.size(); ++b)
      if (some[b] && number_of(b) >= limit) return false;
    return true;
  }

  [[nodiscard]] std::string fault_of(uint32_t b) const {
    // It is not counted among the branches that diverge.
    if (code_[number_of(b)].row->opcode == "CALL") return "lanes part";
    const uint32_t meeting = a_.flow.meets[b];
    const std::vector<uint32_t> sides = jit::sides_of(a_.flow, b);
    if (sides.size() != 2) return "a branch of several ways";
    const std::vector<bool> first = side(b, sides[0]), second = side(b, sides[1]);
    for (uint32_t i = 0; i < first.size(); ++i)
      if (first[i] && second[i]) return "sides that share code";
    const uint32_t place = a_.flow.meets_at_end(b) ? UINT32_MAX : first_of(meeting);
    if (sides[1] != meeting && sides[0] != meeting && !lies_below(first, first_of(sides[1])))
      return "a lower side that goes above the other one";
    if (!lies_below(first, place) || !lies_below(second, place))
      return "a side above where the lanes meet";
    return {};
  }

  /// The barrier of BSSY or BSYNC; -1 for other instructions.
  static int barrier_of(const Instruction& one, std::string_view opcode) {
    if (one.row == nullptr || one.row->opcode != opcode) return -1;
    for (const machine::Operand& operand : one.operands)
      if (operand.kind == machine::OperandKind::kBarrier) return operand.index;
    return -1;
  }

  Status check_convergence() const {
    for (uint32_t b = 0; b < blocks().size(); ++b) {
      if (!a_.flow.reached[b]) continue;
      for (uint32_t pc = blocks()[b].first; pc < blocks()[b].end; ++pc) {
        const Step& step = a_.code->steps[pc];
        if (step.extra) continue;
        const Instruction& one = code_[step.number];
        if (const int barrier = barrier_of(one, "BSYNC");
            barrier >= 0 && !comes_whole(b, pc, barrier))
          return refusal("lanes may be missing at '" + one.text + "'");
        if (barrier_of(one, "BSYNC") >= 0 && step.guard != UINT32_MAX)
          return refusal("a guard at '" + one.text + "'");
      }
    }
    return {};
  }

  [[nodiscard]] bool sets_barrier(uint32_t b, uint32_t end, int barrier) const {
    for (uint32_t pc = blocks()[b].first; pc < end; ++pc) {
      const Step& step = a_.code->steps[pc];
      if (!step.extra && barrier_of(code_[step.number], "BSSY") == barrier)
        return step.guard == UINT32_MAX;
    }
    return false;
  }

  /// Whether the lanes at this BSYNC are those at the BSSY before it.
  [[nodiscard]] bool comes_whole(uint32_t b, uint32_t pc, int barrier) const {
    if (sets_barrier(b, pc, barrier)) return true;
    for (uint32_t from = a_.flow.dominator[b]; from != jit::kNowhere;
         from = a_.flow.dominator[from]) {
      if (!sets_barrier(from, blocks()[from].end, barrier)) continue;
      if (a_.flow.innermost[from] != a_.flow.innermost[b]) return false;
      uint32_t at = from;
      for (size_t i = 0; i <= blocks().size() && at != exit() && at != b; ++i)
        at = a_.flow.meets[at];
      return at == b && !is_set_between(from, b, barrier);
    }
    return false;
  }

  /// Whether a path from one block to the other sets the barrier again and does not open it.
  [[nodiscard]] bool is_set_between(uint32_t from, uint32_t to, int barrier) const {
    std::vector<bool> seen(blocks().size());
    std::vector<uint32_t> work = blocks()[from].successors;
    while (!work.empty()) {
      const uint32_t b = work.back();
      work.pop_back();
      if (b == to || b == exit() || seen[b]) continue;
      seen[b] = true;
      if (sets_barrier(b, blocks()[b].end, barrier)) return true;
      work.insert(work.end(), blocks()[b].successors.begin(), blocks()[b].successors.end());
    }
    return false;
  }

  const Analysis& a_;
  const std::vector<Instruction>& code_;
  const bool polls_;
};

}  // namespace

Diagnostic refusal(const std::string& why) {
  return {.message = "machine code is not compiled: " + why,
          .code = "jit-unsupported",
          .fallback = Fallback::kInterpreter};
}

Status check_flow(const Analysis& analysis, const machine::Loaded& loaded,
                  const std::vector<bool>& uniform) {
  return Checker(analysis, loaded).run(uniform);
}

}  // namespace warpledger::exec::translate
