// Runs of machine code that PTX does not tell: subroutines of ptxas's own, such as the slow path of
// a division, and the blocks that call them. Whether a warp goes there depends on values; a few
// blocks of the grid that ran as machine code show how often.
#pragma once

#include "warpledger/ptx/module.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

/// By block: its runs for each run of the blocks before it; for the first block of a subroutine, of
/// those that call it.
using Shares = std::map<uint32_t, double>;

/// The module's function that a function of the kernel's code is; null: it is ptxas's own. A
/// kernel's own copy of a function is "$kernel$function".
[[nodiscard]] const ptx::Function* ptx_function(const ptx::Module& module,
                                                const KernelWitness& kernel, std::string_view name);
/// Whether `function` of the kernel's code is not one of the module's.
[[nodiscard]] bool is_ptxas_own(const ptx::Module& module, const KernelWitness& kernel,
                                const SassFunction& function);
[[nodiscard]] bool has_ptxas_own(const ptx::Module& module, const KernelWitness& kernel);

/// The block of an instruction.
[[nodiscard]] uint32_t block_at(const KernelWitness& kernel, uint32_t index);
/// The instructions that call a function by its name.
[[nodiscard]] std::vector<uint32_t> calls_of(const KernelWitness& kernel,
                                             const SassFunction& function);
/// What a block's share is a share of.
[[nodiscard]] std::vector<uint32_t> blocks_before(const KernelWitness& kernel, uint32_t block);

/// Of the blocks of ptxas's own subroutines and of their callers, as far as they were reached.
/// `executions`: of each instruction of kernel.code.
[[nodiscard]] Shares seen_shares(const ptx::Module& module, const KernelWitness& kernel,
                                 const std::vector<uint64_t>& executions);

}  // namespace warpledger::sass
