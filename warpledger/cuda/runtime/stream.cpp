// Streams, events, and graphs that were captured from streams.
#include "warpledger/cuda/runtime/state.h"

namespace warpledger::cuda::runtime {

Stream* stream_of(Core& core, cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy || handle == cudaStreamPerThread)
    return &core.timeline().standard();
  auto* stream = reinterpret_cast<Stream*>(handle);
  return core.timeline().knows(stream) ? stream : nullptr;
}

namespace {

template <class Body>
cudaError_t with_stream(cudaStream_t handle, Body body) {
  return call([&](Core& core) {
    Stream* stream = stream_of(core, handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(core, *stream);
  });
}

Event* event_of(cudaEvent_t event) { return reinterpret_cast<Event*>(event); }

}  // namespace
}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&](Core& core) {
    *stream = reinterpret_cast<cudaStream_t>(core.timeline().create(flags, priority));
    return cudaSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](Core& core) {
    return core.timeline().destroy(reinterpret_cast<Stream*>(stream))
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream(stream, [](Core&, Stream& one) {
    return one.capture != nullptr ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_stream(stream, [&](Core&, Stream& one) {
    *flags = one.flags;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_stream(stream, [&](Core&, Stream& one) {
    *priority = one.priority;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return with_stream(stream, [&](Core&, Stream& one) {
    *id = one.id;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamGetDevice(cudaStream_t, int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID, const cudaStreamAttrValue*) {
  return cudaSuccess;  // hints: access policy windows, priorities
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    return as_cuda(core.submit(one, [&core, &one, event] {
      core.timeline().wait(one, *event_of(event));
      return Error::kNone;
    }));
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    return as_cuda(core.submit(one, [function, data] {
      function(data);
      return Error::kNone;
    }));
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned) {
  return with_stream(stream, [&](Core&, Stream&) {
    function(stream, cudaSuccess, data);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&](Core& core) {
    if ((flags & cudaEventDisableTiming) == 0) core.want_time();
    *event = reinterpret_cast<cudaEvent_t>(new Event{.flags = flags});
    return cudaSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    return as_cuda(core.submit(one, [&core, &one, event] {
      core.timeline().record(*event_of(event), one);
      return Error::kNone;
    }));
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return call([](Core&) { return cudaSuccess; });
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return call([](Core&) { return cudaSuccess; });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second) {
  return call([&](Core&) {
    const Event &a = *event_of(first), &b = *event_of(second);
    if (!a.recorded || !b.recorded || ((a.flags | b.flags) & cudaEventDisableTiming) != 0)
      return cudaErrorInvalidResourceHandle;
    *milliseconds = static_cast<float>((b.time - a.time) * 1000);
    return cudaSuccess;
  });
}

// Graphs: what a captured stream was asked for, done again in that order.
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return with_stream(stream, [](Core& core, Stream& one) {
    if (&one == &core.timeline().standard()) return cudaErrorStreamCaptureUnsupported;
    if (one.capture != nullptr) return cudaErrorIllegalState;
    one.capture = std::make_shared<Graph>();
    return cudaSuccess;
  });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return with_stream(stream, [&](Core&, Stream& one) {
    if (one.capture == nullptr) return cudaErrorIllegalState;
    *graph = reinterpret_cast<cudaGraph_t>(new Graph(*one.capture));
    one.capture = nullptr;
    return cudaSuccess;
  });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return with_stream(stream, [&](Core&, Stream& one) {
    *status = one.capture != nullptr ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
  });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = reinterpret_cast<cudaGraphExec_t>(new Graph(*reinterpret_cast<Graph*>(graph)));
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* made, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(made, graph, flags);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t) {
  return call([&](Core&) {
    for (const auto& work : reinterpret_cast<Graph*>(handle)->work) {
      if (const int error = work(); error != 0) return static_cast<cudaError_t>(error);
    }
    return cudaSuccess;
  });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
}
