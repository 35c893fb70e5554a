// Control flow of machine code.
#pragma once

#include "warpledger/sass/witness/witness.h"

namespace warpledger::sass {

/// Whether nothing after it runs: an unpredicated BRA, EXIT, RET, ...
[[nodiscard]] bool ends_flow(const Instruction& instruction);

/// A call that returns to the instruction after it.
[[nodiscard]] bool is_call(const Instruction& instruction);

/// The blocks of `code`, in order. `indirect` has the targets of BRX by address; each of
/// `functions` starts a block and is entered from outside.
[[nodiscard]] std::vector<SassBlock> build_blocks(
    const std::vector<Instruction>& code, const std::vector<SassFunction>& functions,
    const std::map<uint64_t, std::vector<uint64_t>>& indirect);

/// Whether some way leads from the block back to it.
[[nodiscard]] bool runs_again(const std::vector<SassBlock>& blocks, uint32_t block);

/// Where there are several, a `ret` may have become an EXIT with a predicate at each branch to it,
/// and the last one runs less often than the `ret`.
[[nodiscard]] bool has_one_exit(const KernelWitness& kernel);

/// Whether it calls a subroutine.
[[nodiscard]] bool makes_calls(const KernelWitness& kernel, uint32_t block);

/// Whether some call takes its target from a register.
[[nodiscard]] bool calls_by_pointer(const std::vector<Instruction>& code);

}  // namespace warpledger::sass
