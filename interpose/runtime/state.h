// cuda/runtime/: our libcudart.so.13 and .12, a thin translation of CUDA's runtime interface to the
// core. Names and layouts come from CUDA's own headers; every call takes the core's lock.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "interpose/core.h"
#include "interpose/runtime/version.h"

namespace warpledger::cuda::runtime {

inline cudaError_t as_cuda(Error error) { return static_cast<cudaError_t>(error); }

/// The last error of this thread, for cudaGetLastError().
cudaError_t& last_error();
cudaError_t note(cudaError_t error);

/// Runs `body` (Core& -> cudaError_t) under the lock, unless a kernel's fault has ended everything.
template <class Body>
cudaError_t call(Body body) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  if (core.sticky() != Error::kNone) return note(as_cuda(core.sticky()));
  return note(body(core));
}

/// Stores what a call answers; invalid where the program gave no room for it.
template <class T, class Value>
cudaError_t answer(T* room, const Value& value) {
  if (room == nullptr) return cudaErrorInvalidValue;
  *room = static_cast<T>(value);
  return cudaSuccess;
}

/// A kernel as the program registered it: found in its module when it is first used.
struct RegisteredKernel {
  Module* module = nullptr;
  std::string name;
  Kernel* kernel = nullptr;
};
struct RegisteredVariable {
  Module* module = nullptr;
  std::string name;
  uint64_t size = 0;
  void** managed = nullptr;  // the program's pointer to a managed variable
};

struct Registry {
  std::map<const void*, RegisteredKernel> kernels;      // by host function
  std::map<const void*, RegisteredVariable> variables;  // by host variable
};
Registry& registry();

/// By host function, or a cudaKernel_t / cudaFunction_t that was given out: what launches on every
/// device name it by.
cudaError_t find_handle(Core& core, const void* function, Kernel** kernel);
/// Likewise the kernel as the current device has it.
cudaError_t find(Core& core, const void* function, Kernel** kernel);
cudaError_t find(Core& core, const void* variable, Symbol* symbol);

std::shared_ptr<Event> event_of(Core& core, cudaEvent_t event);

/// Likewise with the stream (Core&, Stream& -> cudaError_t).
template <class Body>
cudaError_t with_stream(cudaStream_t handle, Body body) {
  return call([&](Core& core) {
    Stream* stream = core.timeline().find(handle);
    return stream == nullptr ? cudaErrorInvalidResourceHandle : body(core, *stream);
  });
}

}  // namespace warpledger::cuda::runtime
