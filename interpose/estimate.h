// The time on the stream's clock of what the CPU computes in place of machine code that cannot run
// here: torch's aten operators (torch/hook) and calls of the math libraries (library_call.h). It
// knows streams and the GPU's file; it must not know who asks. Such times are estimates, never
// profiles.
#pragma once

#include "interpose/core.h"

namespace warpledger::cuda {

/// What the FLOPs of an operator run on.
enum class MathPipe { kFp32, kFp64, kTensorFp16 };

/// What the CPU computes: an aten operator, a library call.
struct Operator {
  std::string name = "aten operator";
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
