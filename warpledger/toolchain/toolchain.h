// toolchain/: NVIDIA's programs and how to run one. This room finds nvcc, ptxas, nvdisasm and
// cuobjdump in a toolkit or in NVIDIA's Python wheels, runs them without a shell in temporary
// folders, and hands back what they wrote. It knows paths, arguments and bytes. It must not know
// what the bytes mean: sass/ reads machine code, ptx/ reads PTX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::toolchain {

/// Looks for `name` (ptxas, nvdisasm, nvcc, cuobjdump) in $CUDA_HOME/bin, then along $PATH, then in
/// the wheels nvidia-cuda-nvcc and nvidia-cuda-nvdisasm of the Python environments that
/// $VIRTUAL_ENV, $WARPLEDGER_PYTHON, $PATH and $HOME/.local lead to, then in /usr/local/cuda/bin.
[[nodiscard]] Result<std::string> find_tool(std::string_view name);

/// Every place where `name` stands, in the order of find_tool; after them those that Triton's wheel
/// brings along, which read newer PTX.
[[nodiscard]] std::vector<std::string> find_tools(std::string_view name);

}  // namespace warpledger::toolchain
