// interpose/torch/: PyTorch under the drop-in libraries. Torch's own CUDA kernels come as machine
// code, which does not run here: the Python package in hook/ lets torch's CPU kernels compute aten
// operators on the same memory, and this file gives each of them its time on the stream's clock.
// It knows streams and the GPU's file; it must not know torch. Such times are estimates, never
// profiles.
#pragma once

#include "interpose/core.h"

namespace warpledger::cuda {

/// What the FLOPs of an operator run on.
enum class MathPipe { kFp32, kFp64, kTensorFp16 };

/// An aten operator that the CPU computes.
struct Operator {
  double bytes = 0;  // of its inputs and results, each once
  double flops = 0;  // of products; 0: bandwidth alone limits it
  MathPipe pipe = MathPipe::kFp32;
  HostWork again = {};  // computes it when a graph is launched; needed where the stream is captured
};

/// Launch overhead + max(bytes / DRAM bandwidth, flops / peak rate), by the GPU's file: an
/// estimate. Facts that the file does not have: 2 us, the bandwidth of copies, the rate of FP32.
[[nodiscard]] double estimate_seconds(const Gpu& gpu, const Operator& work);

/// Puts the operator, which has been computed, on the stream's clock; a node where the stream is
/// captured, whose launch computes it. Fails as a launch on that stream would.
[[nodiscard]] Error add_operator(Core& core, Stream& stream, const Operator& work);

}  // namespace warpledger::cuda
