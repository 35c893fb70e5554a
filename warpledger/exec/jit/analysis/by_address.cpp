#include "warpledger/exec/jit/analysis/by_address.h"

#include "warpledger/exec/jit/analysis/lowering.h"

namespace warpledger::exec::jit {
namespace {

using reference::Step;
using Kind = reference::Convergence::Kind;

class Apart {
 public:
  explicit Apart(const Analysis& analysis) : a_(analysis) {}

  std::vector<bool> run() {
    std::vector<bool> apart(blocks().size());
    // A BSSY in a block that turns out to be apart no longer makes its BSYNC whole, so that more
    // blocks are: never fewer.
    for (bool changed = true; changed;) {
      find_whole_meetings(apart);
      std::vector<bool> now(blocks().size());
      for (uint32_t b = 0; b < blocks().size(); ++b)
        if (a_.flow.reached[b] && a_.parts[b] && !kills(a_, b)) spread_from(b, now);
      changed = now != apart;
      apart = std::move(now);
    }
    return apart;
  }

 private:
  [[nodiscard]] const std::vector<ptx::Block>& blocks() const { return a_.flow.cfg.blocks; }

  void spread_from(uint32_t b, std::vector<bool>& apart) const {
    std::vector<uint32_t> work = blocks()[b].successors;
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (at >= blocks().size() || apart[at]) continue;
      apart[at] = true;
      if (whole_[at]) continue;
      const auto& next = blocks()[at].successors;
      work.insert(work.end(), next.begin(), next.end());
    }
  }

  /// Blocks whose BSYNC all lanes of the warp leave together.
  void find_whole_meetings(const std::vector<bool>& apart) {
    whole_.assign(blocks().size(), false);
    for (uint32_t b = 0; b < blocks().size(); ++b) {
      const Step* meeting = meeting_of(a_, b);
      if (meeting != nullptr && meets_for_barrier(*meeting)) whole_[b] = true;
      if (!a_.flow.reached[b] || apart[b]) continue;
      for (uint32_t pc = blocks()[b].first; pc < blocks()[b].end; ++pc) {
        const Step& step = a_.code->steps[pc];
        if (step.convergence.kind == Kind::kOpen && step.guard == UINT32_MAX)
          look_behind(b, pc, step.convergence.barrier);
      }
    }
  }

  enum class Use { kNone, kMeets, kSpoils };
  /// What the block does to the barrier from `first` on.
  [[nodiscard]] Use use_of(uint32_t b, uint32_t first, uint8_t barrier) const {
    Use use = Use::kNone;
    for (uint32_t pc = first; pc < blocks()[b].end; ++pc) {
      const reference::Convergence& one = a_.code->steps[pc].convergence;
      const bool spoils = one.kind == Kind::kOpen || one.kind == Kind::kLeave;
      if ((!spoils && one.kind != Kind::kMeet) || one.barrier != barrier) continue;
      if (spoils) return Use::kSpoils;
      use = Use::kMeets;
    }
    return use;
  }

  /// The BSSY at `pc` of block `b`: if every way from there comes to one BSYNC of its barrier
  /// before anything else happens to it, or ends, and only from there, that BSYNC is whole.
  void look_behind(uint32_t b, uint32_t pc, uint8_t barrier) {
    if (use_of(b, pc + 1, barrier) != Use::kNone) return;
    uint32_t meeting = kNowhere;
    std::vector<bool> seen(blocks().size());
    std::vector<uint32_t> work = leads_to(b);
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (at >= blocks().size() || seen[at]) continue;
      seen[at] = true;
      const Use use = use_of(at, blocks()[at].first, barrier);
      if (use == Use::kSpoils) return;
      if (use == Use::kMeets) {
        if (meeting != kNowhere && meeting != at) return;
        meeting = at;
        continue;
      }
      const std::vector<uint32_t> next = leads_to(at);
      work.insert(work.end(), next.begin(), next.end());
    }
    if (meeting != kNowhere && is_dominated(meeting, b)) whole_[meeting] = true;
  }

  [[nodiscard]] Kind kind_of_end(uint32_t b) const {
    return a_.code->steps[blocks()[b].end - 1].convergence.kind;
  }

  /// Where lanes of the block go on in this call of their function: a subroutine, and behind it, as
  /// one that returns; not back to those who call the subroutine elsewhere.
  [[nodiscard]] std::vector<uint32_t> leads_to(uint32_t b) const {
    if (kind_of_end(b) == Kind::kReturn) return {};
    std::vector<uint32_t> next = blocks()[b].successors;
    if (kind_of_end(b) == Kind::kCall) next.push_back(b + 1);
    return next;
  }

  [[nodiscard]] bool is_dominated(uint32_t block, uint32_t by) const {
    std::vector<bool> seen(blocks().size());
    seen[by] = true;
    std::vector<uint32_t> work = {0};
    while (!work.empty()) {
      const uint32_t at = work.back();
      work.pop_back();
      if (at >= blocks().size() || seen[at]) continue;
      if (at == block) return false;
      seen[at] = true;
      const std::vector<uint32_t> next = leads_to(at);
      work.insert(work.end(), next.begin(), next.end());
    }
    return true;
  }

  const Analysis& a_;
  std::vector<bool> whole_;
};

}  // namespace

std::vector<bool> find_blocks_apart(const Analysis& analysis) { return Apart(analysis).run(); }

std::vector<bool> find_waiting_blocks(const Analysis& analysis, const std::vector<bool>& apart) {
  std::vector<bool> waiting = apart;
  for (uint32_t b = 0; b < apart.size(); ++b) {
    if (!apart[b]) continue;
    for (const uint32_t next : analysis.flow.cfg.blocks[b].successors)
      if (next < waiting.size()) waiting[next] = true;
  }
  return waiting;
}

bool meets_for_barrier(const Step& step) {
  return step.convergence.kind == Kind::kMeet && step.convergence.barrier == kAllLanes;
}

bool is_silent(const Step& step) {
  const Kind kind = step.convergence.kind;
  return kind == Kind::kCall || kind == Kind::kJump || kind == Kind::kReturn;
}

const Step* meeting_of(const Analysis& analysis, uint32_t block) {
  const Step& last = analysis.code->steps[analysis.flow.cfg.blocks[block].end - 1];
  return last.convergence.kind == Kind::kMeet ? &last : nullptr;
}

}  // namespace warpledger::exec::jit
