// Stream capture.
#include "interpose/runtime/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    return as_cuda(core.begin_capture(one, static_cast<CaptureMode>(mode)));
  });
}
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after,
                                          const cudaGraphEdgeData* edges, size_t count,
                                          cudaStreamCaptureMode mode) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    std::vector<Node*> nodes;
    if (graph == nullptr || mode > cudaStreamCaptureModeRelaxed ||
        !take_nodes(*graph_of(graph), nodes_at(after), count, &nodes))
      return cudaErrorInvalidValue;
    if (!are_full(edges, count)) return cudaErrorNotSupported;
    return as_cuda(core.begin_capture(one, *graph_of(graph), std::move(nodes),
                                      static_cast<CaptureMode>(mode)));
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    return as_cuda(core.end_capture(one, reinterpret_cast<Graph**>(graph)));
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return with_stream(stream,
                     [&](Core&, Stream& one) { return answer(status, Captures::status(one)); });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return with_stream(stream, [&](Core&, Stream& one) {
    if (const cudaError_t error = answer(status, Captures::status(one))) return error;
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    Capture& capture = *one.capture;
    std::vector<Node*>& nodes = capture.ends[one.id];
    capture.edge_data.assign(nodes.size(), 0);
    if (id != nullptr) *id = capture.id;
    if (graph != nullptr) *graph = handle_of(capture.graph);
    if (after != nullptr) *after = reinterpret_cast<const cudaGraphNode_t*>(nodes.data());
    if (edges != nullptr)
      *edges = reinterpret_cast<const cudaGraphEdgeData*>(capture.edge_data.data());
    if (count != nullptr) *count = nodes.size();
    return cudaSuccess;
  });
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData* edges, size_t count,
                                                unsigned flags) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (one.capture == nullptr) return cudaErrorIllegalState;
    std::vector<Node*> after;
    if (flags > cudaStreamSetCaptureDependencies ||
        !take_nodes(*one.capture->graph, nodes_at(nodes), count, &after))
      return cudaErrorInvalidValue;
    if (!are_full(edges, count)) return cudaErrorNotSupported;
    return as_cuda(core.captures().depend(one, after, flags == cudaStreamSetCaptureDependencies));
  });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  if (mode == nullptr || *mode > cudaStreamCaptureModeRelaxed) return note(cudaErrorInvalidValue);
  *mode = static_cast<cudaStreamCaptureMode>(Captures::exchange(static_cast<CaptureMode>(*mode)));
  return cudaSuccess;
}
}
