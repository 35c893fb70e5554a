// A window is W bytes of memory that start at the address of some PTX access. A rule accepts it
// when the accesses of its kind inside cover it; of several windows the one with most accesses that
// have no SASS of their own wins, then the usual direction: a merged load stands at its lowest
// member, a merged store at its last in program order.
#include "warpledger/sass/witness/merge.h"

#include <algorithm>
#include <set>

namespace warpledger::sass {
namespace {

struct Window {
  std::vector<const PtxOp*> members;  // by address
  size_t idle = 0;                    // members without SASS of their own
  bool is_usual_direction = false;
  [[nodiscard]] std::pair<size_t, bool> rank() const { return {idle, is_usual_direction}; }
};

class Explainer {
 public:
  Explainer(const std::vector<PtxSide>& sides, KernelWitness& kernel)
      : sides_(sides), kernel_(kernel) {}

  void run() {
    for (SassAccess& access : kernel_.accesses) {
      if (access.access_class != AccessClass::kKept) continue;
      access.members = {access.place.instruction};
      with_sass_.insert(access.place);
      if (leader(access).access.width != 0 && access.access.width > leader(access).access.width &&
          !is_atomic(leader(access)))
        access.merge = MergeRule::kUnexplained;
    }
    // Proofs first, for all accesses, so that no guess takes a member away from a proof.
    for (const MergeRule rule :
         {MergeRule::kSameBlock, MergeRule::kAcrossBlocks, MergeRule::kWithHole,
          MergeRule::kOtherVariable, MergeRule::kOwnCopies}) {
      for (SassAccess& access : kernel_.accesses) {
        if (access.access_class == AccessClass::kKept && access.merge == MergeRule::kUnexplained)
          apply(rule, access);
      }
    }
  }

 private:
  [[nodiscard]] const PtxOp& leader(const SassAccess& access) const {
    return *sides_[access.place.function].find(access.place.instruction);
  }
  static bool is_atomic(const PtxOp& op) {
    return op.access.kind == AccessKind::kAtomic || op.access.kind == AccessKind::kReduction;
  }
  [[nodiscard]] bool is_idle(const SassAccess& access, const PtxOp& op) const {
    const Place place{access.place.function, op.instruction};
    if (with_sass_.contains(place)) return false;
    const auto claimed = claimed_by_.find(place);
    return claimed == claimed_by_.end() || claimed->second == access.place;
  }

  void apply(MergeRule rule, SassAccess& access) {
    Window found;
    switch (rule) {
      case MergeRule::kOtherVariable:
        found = other_variables(access);
        break;
      case MergeRule::kOwnCopies:
        found = own_copies(access);
        break;
      default:
        found = best_window(rule, access);
    }
    if (found.members.empty()) return;
    access.merge =
        rule == MergeRule::kWithHole && repeats(found, access) ? MergeRule::kOwnCopies : rule;
    access.members.clear();
    for (const PtxOp* op : found.members) {
      access.members.push_back(op->instruction);
      claimed_by_.emplace(Place{access.place.function, op->instruction}, access.place);
    }
  }

  /// The ops of the leader's kind, space and linear base; M1 looks in its block alone.
  [[nodiscard]] std::vector<const PtxOp*> neighbors(MergeRule rule, const PtxOp& leader,
                                                    const PtxSide& side) const {
    std::vector<const PtxOp*> found;
    for (const PtxOp& op : side.ops) {
      if (op.is_elsewhere || !op.address || op.access.width == 0) continue;
      if (op.access.kind != leader.access.kind || op.access.space != leader.access.space) continue;
      if (op.address->terms != leader.address->terms) continue;
      if (rule == MergeRule::kSameBlock && op.block != leader.block) continue;
      found.push_back(&op);
    }
    std::stable_sort(found.begin(), found.end(), [](const PtxOp* a, const PtxOp* b) {
      return a->address->constant < b->address->constant;
    });
    return found;
  }

  Window best_window(MergeRule rule, const SassAccess& access) {
    const PtxOp& lead = leader(access);
    if (!lead.address) return {};
    if (rule == MergeRule::kWithHole && lead.access.kind != AccessKind::kLoad) return {};
    const auto around = neighbors(rule, lead, sides_[access.place.function]);
    const int64_t width = access.access.width, own = lead.address->constant;
    Window best;
    std::set<int64_t> starts;
    for (const PtxOp* op : around) starts.insert(op->address->constant);
    // A hole may also stand at either end: any place that keeps the leader inside.
    if (rule == MergeRule::kWithHole)
      for (int64_t start = own + lead.access.width - width; start <= own;
           start += lead.access.width)
        starts.insert(start);
    for (const int64_t start : starts) {
      if (start > own || own + lead.access.width > start + width) continue;
      Window window = cover(access, around, start);
      const bool accepted = rule == MergeRule::kWithHole
                                ? window.idle > 0
                                : covered_bytes(window, start) == static_cast<uint64_t>(width);
      if (!accepted) continue;
      if (best.members.empty() || window.rank() > best.rank()) best = std::move(window);
    }
    return best;
  }

  /// The accesses inside [start, start + W): at each address the leader, else an idle one, else
  /// the one that stands last before the leader.
  [[nodiscard]] Window cover(const SassAccess& access, const std::vector<const PtxOp*>& around,
                             int64_t start) const {
    const PtxOp& lead = leader(access);
    const int64_t end = start + access.access.width;
    Window window;
    const auto preferred = [&](const PtxOp* a, const PtxOp* b) {
      const auto rank = [&](const PtxOp* op) {
        return std::tuple(op == &lead, is_idle(access, *op), op->block == lead.block);
      };
      return rank(a) > rank(b);
    };
    for (const PtxOp* op : around) {
      const int64_t at = op->address->constant;
      if (at < start || at + op->access.width > end) continue;
      if (!window.members.empty() && window.members.back()->address->constant == at &&
          window.members.back()->access.width == op->access.width) {
        // Two accesses of one address: redundant ones went where the first did.
        if (preferred(op, window.members.back())) window.members.back() = op;
        continue;
      }
      window.members.push_back(op);
    }
    for (const PtxOp* op : window.members) window.idle += op != &lead && is_idle(access, *op);
    window.is_usual_direction =
        lead.access.kind == AccessKind::kLoad
            ? window.members.front() == &lead
            : std::all_of(window.members.begin(), window.members.end(),
                          [&](const PtxOp* op) { return op->instruction <= lead.instruction; });
    return window;
  }

  static uint64_t covered_bytes(const Window& window, int64_t start) {
    int64_t reached = start;
    for (const PtxOp* op : window.members) {
      if (op->address->constant > reached) return 0;  // a hole
      reached = std::max(reached, op->address->constant + op->access.width);
    }
    return static_cast<uint64_t>(reached - start);
  }

  /// Whether what looks like a hole is filled by further trips of a loop: the members lie side by
  /// side, and the access is a multiple of them.
  [[nodiscard]] bool repeats(const Window& window, const SassAccess& access) const {
    const uint64_t bytes = covered_bytes(window, window.members.front()->address->constant);
    return bytes != 0 && access.access.width % bytes == 0 && moves_in_loop(access);
  }

  /// Whether the address changes from one iteration to the next of a loop around it.
  [[nodiscard]] bool moves_in_loop(const SassAccess& access) const {
    const PtxOp& lead = leader(access);
    return lead.address && !lead.address->terms.empty() &&
           is_in_loop(sides_[access.place.function].cfg, lead.block);
  }

  /// M4: accesses of other shared variables, idle, until their widths add up.
  Window other_variables(const SassAccess& access) {
    const PtxOp& lead = leader(access);
    if (lead.access.space != AccessSpace::kShared || !lead.address) return {};
    Window window{.members = {&lead}};
    uint64_t sum = lead.access.width;
    for (const PtxOp& op : sides_[access.place.function].ops) {
      if (sum >= access.access.width) break;
      if (op.is_elsewhere || &op == &lead || op.access.kind != lead.access.kind ||
          op.access.space != lead.access.space || !op.address || !is_idle(access, op) ||
          op.address->terms == lead.address->terms)
        continue;
      window.members.push_back(&op);
      sum += op.access.width;
    }
    if (sum < access.access.width) return {};
    return window;
  }

  /// M5
  Window own_copies(const SassAccess& access) {
    return moves_in_loop(access) ? Window{.members = {&leader(access)}} : Window{};
  }

  const std::vector<PtxSide>& sides_;
  KernelWitness& kernel_;
  std::set<Place> with_sass_;          // PTX instructions with SASS at their own line
  std::map<Place, Place> claimed_by_;  // the others, with the leader that does their work
};

}  // namespace

void explain_widened(const std::vector<PtxSide>& sides, KernelWitness& kernel) {
  Explainer(sides, kernel).run();
}

}  // namespace warpledger::sass
