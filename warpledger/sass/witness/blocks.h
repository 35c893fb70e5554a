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

}  // namespace warpledger::sass
