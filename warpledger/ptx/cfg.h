// Control flow of a function: basic blocks, post-dominators, and where diverged lanes meet again.
//
// Block b post-dominates a when every way from a to the end passes b. Lanes that a branch parts
// reconverge at its immediate post-dominator, the nearest such block. A block that cannot reach the
// end (an endless loop) is taken to leave from its last block.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpledger/ptx/forward.h"

namespace warpledger::ptx {

/// The instructions [first, end), entered at the first alone and left after the last alone.
struct Block {
  uint32_t first = 0;
  uint32_t end = 0;
  bool leaves = false;                    // may end the thread or the function: ret, exit, trap
  std::vector<uint32_t> successors = {};  // taken branches first, falling through last
  std::vector<uint32_t> predecessors = {};
};

struct Cfg {
  std::vector<Block> blocks;       // in the order of the text; block 0 is the entry
  std::vector<uint32_t> block_of;  // of each instruction
  [[nodiscard]] uint32_t exit() const { return static_cast<uint32_t>(blocks.size()); }
};

[[nodiscard]] Cfg build_cfg(const Module& module, const Function& function);

/// Whether a branch to a block that only leaves keeps lanes from meeting before the very end.
enum class EarlyExits {
  kKeep,    // the definition above
  kIgnore,  // such an edge does not count where its block has another: lanes that returned wait
            // for nobody (else one early return in a loop has the rest run lane by lane)
};

/// For each block its immediate post-dominator; cfg.exit() for the end of the function.
[[nodiscard]] std::vector<uint32_t> immediate_post_dominators(const Cfg& cfg,
                                                              EarlyExits exits = EarlyExits::kKeep);

/// Where the lanes that a block's last instruction parts meet again, as an instruction; the number
/// of instructions stands for the end of the function. Same length as cfg.blocks.
[[nodiscard]] std::vector<uint32_t> reconvergence_points(const Cfg& cfg, const Function& function,
                                                         EarlyExits exits = EarlyExits::kKeep);

/// One line a block: "B1 [4,9) -> B2 B3, meets at B4".
[[nodiscard]] std::string to_text(const Cfg& cfg, const Module& module, const Function& function);

}  // namespace warpledger::ptx
