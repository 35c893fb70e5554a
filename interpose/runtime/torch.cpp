// Our own calls, for the Python package in torch/hook; not part of CUDA.
#include "interpose/estimate.h"
#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

/// An aten operator that the CPU computed takes its estimated time on the stream's clock. `pipe` is
/// a MathPipe. While the stream is captured nothing has been computed: each launch of the graph
/// calls `again` (data).
cudaError_t warpledger_add_operator(cudaStream_t stream, double bytes, double flops, int pipe,
                                    cudaHostFn_t again, void* data) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (pipe < 0 || pipe > static_cast<int>(MathPipe::kTensorFp16)) return cudaErrorInvalidValue;
    return as_cuda(add_operator(core, one,
                                {.bytes = bytes,
                                 .flops = flops,
                                 .pipe = static_cast<MathPipe>(pipe),
                                 .again = {.function = again, .data = data}}));
  });
}

/// Device memory that is allocated until the stream's capture ends lives as long as its graph, also
/// where it is freed before: what a graph's private pool does in torch's caching allocator.
cudaError_t warpledger_hold_capture_memory(cudaStream_t stream) {
  return with_stream(stream, [&](Core&, Stream& one) {
    if (one.capture == nullptr) return cudaErrorIllegalState;
    one.capture->holds_memory = true;
    return cudaSuccess;
  });
}
}
