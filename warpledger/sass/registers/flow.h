// From instruction to instruction: what may run next, through ptxas's subroutines as well.
#pragma once

#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

struct CodeFlow {
  std::vector<std::vector<uint32_t>> next, before;  // by instruction, in order
};

/// A subroutine returns to behind each of its calls. Nothing where a branch or a call leads to
/// where the code does not tell.
[[nodiscard]] std::optional<CodeFlow> flow_of(const KernelWitness& kernel);

}  // namespace warpledger::sass
