// Functions that kernels call and CUDA's device runtime defines (libcudadevrt holds machine code
// only). One is defined here: cudaGraphSetConditional(), which sets the value of a conditional
// node. A handle is the address of that value, so the call is one store of 4 bytes; what a GPU does
// there is not documented.
#pragma once

#include <string>

namespace warpledger::cuda {

/// The module with the definition of what it declares and calls; as it is where it calls nothing.
[[nodiscard]] std::string with_device_runtime(std::string ptx);

}  // namespace warpledger::cuda
