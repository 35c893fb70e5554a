// Control flow as compiled code needs it: loops, where lanes that a branch parts meet again, and
// whether that takes a stack.
//
// Lanes meet at the branch's post-dominator (ptx/cfg.h, early exits ignored, as the interpreter has
// it). Where every branch that meets at p has only one side to run before p, where no lane can end
// on the way, and where a block d dominates p, is post-dominated by it and is in no loop without p,
// the lanes at p are those that were at d: the mask is restored statically, needs no stack and
// stays loop-invariant in SSA. Everything else goes by a stack of (block, meeting point, mask).
#pragma once

#include <cstdint>
#include <vector>

#include "warpledger/exec/decode/inline.h"

namespace warpledger::exec::jit {

inline constexpr uint32_t kNowhere = UINT32_MAX;

struct Loop {
  uint32_t header = 0;
  std::vector<bool> holds;  // by block
};

struct Flow {
  ptx::Cfg cfg;
  std::vector<uint32_t> meets;      // by block; cfg.exit(): the end
  std::vector<uint32_t> dominator;  // immediate; kNowhere for the entry and what nothing reaches
  std::vector<Loop> loops;
  std::vector<uint32_t> innermost;    // loop of each block, kNowhere outside
  std::vector<bool> reached;          // from the entry
  std::vector<uint32_t> instance_of;  // by block: of an inlined function, 0 of the kernel
  std::vector<reference::Instance> instances;

  [[nodiscard]] bool dominates(uint32_t a, uint32_t b) const;
  /// Blocks that lanes leaving `block` may run before they reach meets[block].
  [[nodiscard]] std::vector<bool> region(uint32_t block) const;
  /// The same from one of its successors on.
  [[nodiscard]] std::vector<bool> region_from(uint32_t block, uint32_t start) const;
  /// Whether lanes that `block` parts meet at the end alone: the kernel's, or their function's.
  [[nodiscard]] bool meets_at_end(uint32_t block) const {
    return meets[block] == cfg.exit() || instance_of[meets[block]] != instance_of[block];
  }
  /// Whether `inner` is the instance, or one that is called in it.
  [[nodiscard]] bool is_within(uint32_t inner, uint32_t instance) const;
  /// The blocks of an instance and of those that it calls.
  [[nodiscard]] std::vector<bool> blocks_of(uint32_t instance) const;
};

[[nodiscard]] Flow find_flow(const ptx::Module& module, const reference::Code& code);

/// Whether the block ends the thread and does nothing else.
[[nodiscard]] bool is_bare_exit(const reference::Code& code, const ptx::Block& block);

}  // namespace warpledger::exec::jit
