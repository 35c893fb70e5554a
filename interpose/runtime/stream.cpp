// Streams and events.
#include "interpose/runtime/state.h"

namespace warpledger::cuda::runtime {

std::shared_ptr<Event> event_of(Core& core, cudaEvent_t event) {
  return core.timeline().event(reinterpret_cast<const Event*>(event));
}

}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&](Core& core) {
    if (stream == nullptr) return cudaErrorInvalidValue;
    return answer(stream, reinterpret_cast<cudaStream_t>(core.timeline().create(flags, priority)));
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
    return core.destroy(reinterpret_cast<Stream*>(stream)) ? cudaSuccess
                                                           : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream(stream,
                     [](Core& core, Stream& one) { return as_cuda(core.synchronize(one)); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(flags, one.flags); });
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(priority, one.priority); });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(id, one.id); });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return with_stream(stream, [&](Core&, Stream& one) { return answer(device, one.device); });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}
// Attributes of streams are hints: access policy windows, priorities.
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return with_stream(stream, [&](Core& core, Stream&) {
    if (value == nullptr) return cudaErrorInvalidValue;
    const bool accepted =
        attribute != cudaLaunchAttributeAccessPolicyWindow ||
        core.l2_policy().accept_window(core.gpu(), value->accessPolicyWindow.num_bytes);
    return accepted ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    return as_cuda(core.wait(one, event_of(core, event), (flags & cudaEventWaitExternal) != 0));
  });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (function == nullptr) return cudaErrorInvalidValue;
    return as_cuda(core.submit(one, HostWork{function, data}));
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (function == nullptr) return cudaErrorInvalidValue;
    if (const Error error = core.captures().check_wait(one); error != Error::kNone)
      return as_cuda(error);  // callbacks cannot be captured
    function(stream, cudaSuccess, data);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&](Core& core) {
    if (event == nullptr) return cudaErrorInvalidValue;
    if ((flags & cudaEventDisableTiming) == 0) core.want_time();
    return answer(event, reinterpret_cast<cudaEvent_t>(core.timeline().create_event(flags)));
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](Core& core) {
    return core.timeline().destroy_event(reinterpret_cast<const Event*>(event))
               ? cudaSuccess
               : cudaErrorInvalidResourceHandle;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    const bool is_external = (flags & cudaEventRecordExternal) != 0;
    return as_cuda(core.record(event_of(core, event), one, is_external));
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&](Core& core) {
    const std::shared_ptr<Event> one = event_of(core, event);
    return one == nullptr ? cudaErrorInvalidResourceHandle : as_cuda(core.synchronize(*one));
  });
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t second) {
  return call([&](Core& core) {
    const std::shared_ptr<Event> a = event_of(core, first), b = event_of(core, second);
    if (a == nullptr || b == nullptr || a->device != b->device)
      return cudaErrorInvalidResourceHandle;
    for (const auto& event : {a, b}) {
      if (const Error error = core.captures().check_wait(*event); error != Error::kNone)
        return as_cuda(error);
    }
    if (!a->recorded || !b->recorded || ((a->flags | b->flags) & cudaEventDisableTiming) != 0)
      return cudaErrorInvalidResourceHandle;
    return answer(milliseconds, (b->time - a->time) * 1000);
  });
}
}
