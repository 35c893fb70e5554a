// interpose/nvrtc/: our libnvrtc.so.13, in front of NVIDIA's. NVRTC compiles; a program that asks
// it for machine code gets a fatbin with the PTX beside it, as warpledger-ptxas gives Triton one,
// so that the driver library has something to run.
//
// This file: NVIDIA's library, where the loader would have found it.
#pragma once

namespace warpledger::cuda::nvrtc {

/// A function of NVIDIA's library; null, and one line on standard error, where that is not found.
[[nodiscard]] void* find(const char* name);

}  // namespace warpledger::cuda::nvrtc
