// How many SASS instructions a launch executes, from how often its PTX blocks ran.
//
// Not line by line: ptxas unrolls again, so that one PTX block has several SASS blocks, and turns
// short branches into predicates, so that one SASS block has several PTX blocks. Counted are SASS
// blocks; an instruction counts as often as its block ran, also with its predicate false, as
// hardware counters do.
#pragma once

#include "warpledger/base/fidelity.h"
#include "warpledger/sass/witness/seen.h"

namespace warpledger::sass {

/// What ran of one PTX function; blocks are those of ptx::build_cfg. All counts are of warps,
/// summed over the launch.
struct FunctionCounts {
  std::vector<uint64_t> blocks;
  /// From block to block. What is missing is not known; where no warp diverged, most follows from
  /// the blocks.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> edges = {};
  /// For a block in a loop: how many entries of a warp into the innermost loop around it ran it n
  /// times, by n. What is missing is not known: then each entry is taken to have run alike.
  std::map<uint32_t, std::map<uint64_t, uint64_t>> trips = {};
};

/// The profile fills this from the engine: the kernel, and each function that it called.
struct BlockCounts {
  std::map<uint32_t, FunctionCounts> functions = {};  // by index in the module
  bool has_diverged = false;  // some warp ran a block with a part of its lanes
  Shares shares = {};         // of blocks that PTX does not tell of; where none, none ran
};

struct SassCounts {
  std::vector<uint64_t> blocks;             // executions of each KernelWitness::blocks
  std::map<std::string, uint64_t> opcodes;  // by full opcode, "IMAD.WIDE.U32"
  uint64_t total = 0;
  Fidelity fidelity = Fidelity::kExact;
  std::vector<std::string> why_modeled = {};  // empty when exact
  /// The same by opcode without modifiers.
  [[nodiscard]] std::map<std::string, uint64_t> by_base() const;
};

/// Post: total = sum of opcodes = sum over blocks of count * instructions. Exact when every block's
/// count follows from the input by flow conservation, and none contradicts it.
[[nodiscard]] SassCounts count_sass(const ptx::Module& module, const KernelWitness& kernel,
                                    const BlockCounts& counts);

}  // namespace warpledger::sass
