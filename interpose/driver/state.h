// cuda/driver/: our libcuda.so.1, the public driver interface in front of the core. A handle is the
// core's own object: CUmodule and CUlibrary a Module, CUfunction and CUkernel a Kernel, CUstream a
// Stream, CUevent an Event; each device has one context.
#pragma once

#include <cuda.h>

#include <mutex>
#include <optional>
#include <vector>

#include "interpose/core.h"

namespace warpledger::cuda::driver {

CUresult as_result(Error error);

inline constexpr int kVersion = 13000;

inline bool is_device(CUdevice device) { return Core::get().devices().has(device); }
CUcontext context_of(int device);
/// Nothing if it is not a context.
std::optional<int> device_of(CUcontext context);

template <class Body>
CUresult call(Body body) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  if (core.sticky() != Error::kNone) return as_result(core.sticky());
  return body(core);
}

/// Stores what a call answers; invalid where the program gave no room for it.
template <class T, class Value>
CUresult answer(T* room, const Value& value) {
  if (room == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *room = static_cast<T>(value);
  return CUDA_SUCCESS;
}

/// The packed parameters of a launch, given one by one or whole. Nothing where they are missing.
std::optional<std::vector<std::byte>> pack(const Kernel& kernel, void** params, void** extra);

inline std::shared_ptr<Event> event_of(Core& core, CUevent event) {
  return core.timeline().event(reinterpret_cast<const Event*>(event));
}

template <class Body>
CUresult with_stream(CUstream handle, Body body) {
  return call([&](Core& core) {
    Stream* stream = core.timeline().find(handle);
    return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(core, *stream);
  });
}

}  // namespace warpledger::cuda::driver
