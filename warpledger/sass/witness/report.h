// A witness as tables: what a kernel asks for, its memory instructions by class, and what became of
// each PTX memory instruction.
#pragma once

#include "warpledger/base/table.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

/// Registers, stack, shared memory and spills of each kernel.
[[nodiscard]] Table kernel_table(const Witness& witness);

/// Spills and callee saves of each function, also of those that lie in a kernel's code.
[[nodiscard]] Table function_table(const Witness& witness);

/// How many SASS memory instructions have which class, a row a kernel.
[[nodiscard]] Table class_table(const Witness& witness);

/// Each PTX memory instruction of one kernel: its fate, its SASS, its neighbors. `module` is the
/// one that was witnessed.
[[nodiscard]] Table fate_table(const ptx::Module& module, const KernelWitness& kernel);

/// What no rule explains, a sentence each; empty when all is explained.
[[nodiscard]] std::vector<std::string> unexplained(const ptx::Module& module,
                                                   const KernelWitness& kernel);

}  // namespace warpledger::sass
