#include "warpledger/profile/advice/guard.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "warpledger/ptx/cfg.h"
#include "warpledger/ptx/module.h"

namespace warpledger::profile {
namespace {

constexpr double kFewer = 0.9;  // of the lanes: what a ragged last warp costs is not divergence

class Guards {
 public:
  Guards(const ptx::Module& module, const ptx::Function& function, uint32_t first,
         std::vector<CodeLine>& code)
      : cfg_(ptx::build_cfg(module, function)), first_(first), code_(code) {
    find_dependences();
    find_loops();
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

  struct Loop {
    uint32_t header = 0;
    std::set<uint32_t> blocks = {};
  };

  /// The blocks that lead back to `header` from `last` without passing it.
  [[nodiscard]] Loop loop_of(uint32_t header, uint32_t last) const {
    Loop loop{header, {header, last}};
    std::vector<uint32_t> left = {last};
    while (!left.empty()) {
      const uint32_t at = left.back();
      left.pop_back();
      if (at == header) continue;
      for (const uint32_t from : cfg_.blocks[at].predecessors) {
        if (loop.blocks.insert(from).second) left.push_back(from);
      }
    }
    return loop;
  }

  /// Compilers put the branch back behind what it repeats. Small ones first: the innermost.
  void find_loops() {
    for (uint32_t last = 0; last < cfg_.blocks.size(); ++last) {
      for (const uint32_t header : cfg_.blocks[last].successors) {
        if (header <= last) loops_.push_back(loop_of(header, last));
      }
    }
    std::stable_sort(loops_.begin(), loops_.end(), [](const Loop& a, const Loop& b) {
      return a.blocks.size() < b.blocks.size();
    });
  }

  /// With how many lanes the innermost loop around both blocks is entered; 0: there is none.
  [[nodiscard]] double lanes_entering(uint32_t block, uint32_t branch) const {
    const auto loop = std::find_if(loops_.begin(), loops_.end(), [&](const Loop& one) {
      return one.blocks.contains(block) && one.blocks.contains(branch);
    });
    double lanes = 0;
    if (loop == loops_.end()) return lanes;
    for (const uint32_t from : cfg_.blocks[loop->header].predecessors) {
      if (!loop->blocks.contains(from)) lanes = std::max(lanes, lanes_[from]);
    }
    return lanes;
  }

  /// True when it found one.
  bool name_guard(uint32_t block, uint32_t at, std::set<uint32_t>& asked) {
    if (!asked.insert(at).second) return false;
    std::optional<uint32_t> loop, other;
    for (const uint32_t branch : depends_[at]) (is_loop(branch) ? loop : other) = branch;
    if (loop && lanes_[block] < kFewer * lanes_entering(block, *loop)) {
      set_guard(block, *loop, true);
      return true;
    }
    if (other && lanes_[block] < kFewer * lanes_[*other]) {
      set_guard(block, *other, false);
      return true;
    }
    return (other && name_guard(block, *other, asked)) || (loop && name_guard(block, *loop, asked));
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
  std::vector<Loop> loops_;
  std::vector<double> lanes_;  // of each block: with which it runs
};

}  // namespace

void find_guards(const ptx::Module& module, const ptx::Function& function, uint32_t first,
                 double lanes_of_a_warp, std::vector<CodeLine>& code) {
  if (function.instructions.empty()) return;
  Guards(module, function, first, code).run(lanes_of_a_warp);
}

}  // namespace warpledger::profile
