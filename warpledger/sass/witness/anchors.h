// Anchors: SASS instructions that PTX decides the number of: memory, barriers, tensor cores. Where
// their copies lie tells how often their SASS blocks ran.
#pragma once

#include "warpledger/sass/witness/counts.h"
#include "warpledger/sass/witness/ptx_side.h"

namespace warpledger::sass {

/// One PTX instruction with the SASS blocks that hold its copies.
struct Anchor {
  Place place = {};
  uint32_t ptx_block = 0;
  bool is_plain = false;                // ptxas makes one instruction of it
  bool is_predicated = false;           // some copy may run for no lane
  std::map<uint32_t, uint64_t> copies;  // by SASS block
};

/// The anchors of a kernel, by place; those of functions without counts are left out.
[[nodiscard]] std::vector<Anchor> find_anchors(const ptx::Module& module,
                                               const KernelWitness& kernel,
                                               const std::map<uint32_t, PtxSide>& sides);

/// How often a SASS block ran and how often it was entered from outside its loop, as far as an
/// anchor tells. `is_guess`: by totals, where a histogram of trips is needed.
struct BlockGuess {
  uint64_t count = 0;
  std::optional<uint64_t> entered = {};
  bool is_guess = false;
};

/// What one anchor tells of the blocks with its copies: nothing where copies are spread evenly.
[[nodiscard]] std::map<uint32_t, BlockGuess> read_anchor(const Anchor& anchor, const PtxSide& side,
                                                         const FunctionCounts& counts);

}  // namespace warpledger::sass
