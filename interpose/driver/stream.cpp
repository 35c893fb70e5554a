// Streams, events, and the capture of streams.
#include "interpose/driver/graph.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

extern "C" {

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return call([&](Core& core) {
    if (stream == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return answer(stream, reinterpret_cast<CUstream>(core.timeline().create(flags, priority)));
  });
}
CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  return call([&](Core& core) {
    return core.destroy(reinterpret_cast<Stream*>(stream)) ? CUDA_SUCCESS
                                                           : CUDA_ERROR_INVALID_HANDLE;
  });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return with_stream(stream,
                     [](Core& core, Stream& one) { return as_result(core.synchronize(one)); });
}
CUresult cuStreamQuery(CUstream stream) { return cuStreamSynchronize(stream); }
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(flags, one.flags); });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(priority, one.priority); });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext* made) {
  return with_stream(stream,
                     [&](Core&, Stream& one) { return answer(made, context_of(one.device)); });
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(device, one.device); });
}
// Attributes of streams are hints: access policy windows, priorities.
CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue* value) {
  return with_stream(stream, [&](Core& core, Stream&) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const bool accepted =
        attribute != CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW ||
        core.l2_policy().accept_window(core.gpu(), value->accessPolicyWindow.num_bytes);
    return accepted ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(id, one.id); });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    return as_result(core.wait(one, event_of(core, event), (flags & CU_EVENT_WAIT_EXTERNAL) != 0));
  });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return as_result(core.submit(one, HostWork{function, data}));
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return call([&](Core& core) {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & CU_EVENT_DISABLE_TIMING) == 0) core.want_time();
    return answer(event, reinterpret_cast<CUevent>(core.timeline().create_event(flags)));
  });
}
CUresult cuEventDestroy_v2(CUevent event) {
  return call([&](Core& core) {
    return core.timeline().destroy_event(reinterpret_cast<const Event*>(event))
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_HANDLE;
  });
}
CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    const bool is_external = (flags & CU_EVENT_RECORD_EXTERNAL) != 0;
    return as_result(core.record(event_of(core, event), one, is_external));
  });
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}
CUresult cuEventSynchronize(CUevent event) {
  return call([&](Core& core) {
    const std::shared_ptr<Event> one = event_of(core, event);
    return one == nullptr ? CUDA_ERROR_INVALID_HANDLE : as_result(core.synchronize(*one));
  });
}
CUresult cuEventQuery(CUevent event) { return cuEventSynchronize(event); }
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent first, CUevent second) {
  return call([&](Core& core) {
    const std::shared_ptr<Event> a = event_of(core, first), b = event_of(core, second);
    if (a == nullptr || b == nullptr || a->device != b->device) return CUDA_ERROR_INVALID_HANDLE;
    for (const auto& event : {a, b}) {
      if (const Error error = core.captures().check_wait(*event); error != Error::kNone)
        return as_result(error);
    }
    if (!a->recorded || !b->recorded || ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING) != 0)
      return CUDA_ERROR_INVALID_HANDLE;
    return answer(milliseconds, (b->time - a->time) * 1000);
  });
}
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent second) {
  return cuEventElapsedTime_v2(milliseconds, first, second);
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
    return as_result(core.begin_capture(one, static_cast<CaptureMode>(mode)));
  });
}
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* after,
                                     const CUgraphEdgeData* edges, size_t count,
                                     CUstreamCaptureMode mode) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    std::vector<Node*> nodes;
    if (graph == nullptr || mode > CU_STREAM_CAPTURE_MODE_RELAXED ||
        !take_nodes(*graph_of(graph), nodes_at(after), count, &nodes))
      return CUDA_ERROR_INVALID_VALUE;
    if (!are_full(edges, count)) return CUDA_ERROR_NOT_SUPPORTED;
    return as_result(core.begin_capture(one, *graph_of(graph), std::move(nodes),
                                        static_cast<CaptureMode>(mode)));
  });
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    return as_result(core.end_capture(one, reinterpret_cast<Graph**>(graph)));
  });
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return with_stream(stream,
                     [&](Core&, Stream& one) { return answer(status, Captures::status(one)); });
}
CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** after,
                                   const CUgraphEdgeData** edges, size_t* count) {
  return with_stream(stream, [&](Core&, Stream& one) {
    if (const CUresult error = answer(status, Captures::status(one))) return error;
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
    Capture& capture = *one.capture;
    std::vector<Node*>& nodes = capture.ends[one.id];
    capture.edge_data.assign(nodes.size(), 0);
    if (id != nullptr) *id = capture.id;
    if (graph != nullptr) *graph = handle_of(capture.graph);
    if (after != nullptr) *after = reinterpret_cast<const CUgraphNode*>(nodes.data());
    if (edges != nullptr)
      *edges = reinterpret_cast<const CUgraphEdgeData*>(capture.edge_data.data());
    if (count != nullptr) *count = nodes.size();
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* nodes,
                                              const CUgraphEdgeData* edges, size_t count,
                                              unsigned flags) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (one.capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    std::vector<Node*> after;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES ||
        !take_nodes(*one.capture->graph, nodes_at(nodes), count, &after))
      return CUDA_ERROR_INVALID_VALUE;
    if (!are_full(edges, count)) return CUDA_ERROR_NOT_SUPPORTED;
    return as_result(
        core.captures().depend(one, after, flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  });
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr || *mode > CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_ERROR_INVALID_VALUE;
  *mode = static_cast<CUstreamCaptureMode>(Captures::exchange(static_cast<CaptureMode>(*mode)));
  return CUDA_SUCCESS;
}
}
