// A CUDA runtime that is linked into somebody's library (CuPy's wheel, cuda.bindings, Warp): it
// asks the driver for NVIDIA's private tables, which are not answered (decision 007), and gives up
// with `invalid argument`. The user reads here which library it was.
#pragma once

#include <string>

namespace warpledger::cuda {

/// The file of the code at that address; "" where it is nobody's.
[[nodiscard]] std::string library_at(const void* code);

/// What to tell the user of a library that asks for private tables; "" of one that works without
/// them: NVIDIA's compilers ask, and go on when they are refused.
[[nodiscard]] std::string describe_linked_runtime(const std::string& library);

}  // namespace warpledger::cuda
