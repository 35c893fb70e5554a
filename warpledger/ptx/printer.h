// A Module back to text. parse(print(m)) has the same meaning and prints the same text again; ptxas
// makes the same machine code of both.
#pragma once

#include <string>

#include "warpledger/ptx/module.h"

namespace warpledger::ptx {

[[nodiscard]] std::string print(const Module& module);

/// One instruction as it stands in a body, without indentation: "@%p1 bra $L1;".
[[nodiscard]] std::string print(const Module& module, const Function& function,
                                const Instruction& instruction);

/// A declaration without its semicolon: ".shared .align 16 .b8 smem[1024]".
[[nodiscard]] std::string print(const Module& module, const Variable& variable);

}  // namespace warpledger::ptx
