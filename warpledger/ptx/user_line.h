// Whose line an instruction is. nvcc names the innermost line of what was inlined, which for
// atomics and half precision stands in a CUDA header; the user's is where the outermost header
// function was called. Everything that names a line asks here.
#pragma once

#include <string_view>

#include "warpledger/ptx/module.h"

namespace warpledger::ptx {

/// Whether a source file came with CUDA or the system.
[[nodiscard]] bool is_toolkit_header(std::string_view path);

/// The call that leads out of the toolkit's headers; `location.at` where none does, or the line is
/// the user's already.
[[nodiscard]] SourcePlace user_place(const Module& module, const Function& function,
                                     const SourceLocation& location);

}  // namespace warpledger::ptx
