// CUDA C++ to PTX, by nvcc.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::toolchain {

/// The PTX of the .cu file at `path` for `arch` ("sm_86"), with line numbers; `flags` are handed to
/// nvcc as they are, without a shell. Fails with what nvcc said.
[[nodiscard]] Result<std::string> compile_cuda(const std::string& path, const std::string& arch,
                                               const std::vector<std::string>& flags);

}  // namespace warpledger::toolchain
