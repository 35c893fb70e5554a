#include "warpledger/profile/guard.h"

#include <algorithm>
#include <set>

#include "warpledger/ptx/cfg.h"

namespace warpledger::profile {
namespace {

constexpr double kFewer = 0.9;  // of the lanes: what a ragged last warp costs is not divergence

class Guards {
 public:
  Guards(const ptx::Module& module, const ptx::Function& function, uint32_t first,
         std::vector<CodeLine>& code)
      : cfg_(ptx::build_cfg(module, function)), first_(first), code_(code) {
    find_dependences();
    for (const ptx::Block& block : cfg_.blocks) lanes_.push_back(lanes_in(block));
  }

  void run(double lanes_of_a_warp) {
    for (uint32_t block = 0; block < cfg_.blocks.size(); ++block) {
      if (lanes_[block] == 0 || lanes_[block] >= kFewer * lanes_of_a_warp) continue;
      std::set<uint32_t> asked;
      name_guard(block, block, asked);
    }
  }

 private:
  /// The most that any of its instructions runs with: predicates switch lanes off.
  [[nodiscard]] double lanes_in(const ptx::Block& block) const {
    double most = 0;
    for (uint32_t i = block.first; i < block.end; ++i) {
      const CodeLine& line = code_[first_ + i];
      if (line.executions == 0) continue;
      most = std::max(most, static_cast<double>(line.lanes) / static_cast<double>(line.executions));
    }
    return most;
  }

  void find_dependences() {
    depends_.resize(cfg_.blocks.size());
    const std::vector<uint32_t> meets = ptx::immediate_post_dominators(cfg_);
    for (uint32_t branch = 0; branch < cfg_.blocks.size(); ++branch) {
      if (cfg_.blocks[branch].successors.size() < 2 && !parts_by_leaving(branch)) continue;
      for (uint32_t at : cfg_.blocks[branch].successors) {
        for (; at != meets[branch] && at != cfg_.exit(); at = meets[at])
          depends_[at].insert(branch);
      }
    }
  }
  /// `@p ret`: some lanes go, the others go on.
  [[nodiscard]] bool parts_by_leaving(uint32_t block) const {
    return cfg_.blocks[block].leaves && !cfg_.blocks[block].successors.empty();
  }

  [[nodiscard]] bool is_loop(uint32_t branch) const { return depends_[branch].contains(branch); }

  /// True when it found one.
  bool name_guard(uint32_t block, uint32_t at, std::set<uint32_t>& asked) {
    if (!asked.insert(at).second) return false;
    std::optional<uint32_t> loop, other;
    for (const uint32_t branch : depends_[at]) (is_loop(branch) ? loop : other) = branch;
    const bool thinned = other && lanes_[block] < kFewer * lanes_[*other];
    // A loop that nothing guards, or that more lanes enter than stay in it.
    if (loop && (thinned || lanes_[block] < kFewer * lanes_[*loop] || !other)) {
      set_guard(block, *loop, true);
      return true;
    }
    if (thinned) set_guard(block, *other, false);
    return thinned || (other && name_guard(block, *other, asked));
  }

  void set_guard(uint32_t block, uint32_t branch, bool is_a_loop) {
    for (uint32_t i = cfg_.blocks[block].first; i < cfg_.blocks[block].end; ++i) {
      code_[first_ + i].guard = first_ + cfg_.blocks[branch].end - 1;
      code_[first_ + i].guard_is_loop = is_a_loop;
    }
  }

  ptx::Cfg cfg_;
  uint32_t first_;
  std::vector<CodeLine>& code_;
  std::vector<std::set<uint32_t>> depends_;  // of each block: the blocks that end in its branches
  std::vector<double> lanes_;                // of each block: with which it runs
};

}  // namespace

void find_guards(const ptx::Module& module, const ptx::Function& function, uint32_t first,
                 double lanes_of_a_warp, std::vector<CodeLine>& code) {
  if (function.instructions.empty()) return;
  Guards(module, function, first, code).run(lanes_of_a_warp);
}

}  // namespace warpledger::profile
