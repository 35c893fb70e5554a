// Memory and events shared with other processes.
#include <cstring>

#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

/// What went wrong, said and as a code. cudaErrorDeviceUninitialized: "invalid device context".
cudaError_t refused(const warpledger::Diagnostic& why, cudaError_t code) {
  return Core::say(why), code;
}

}  // namespace

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* address) {
  return call([&](Core& core) {
    if (handle == nullptr) return cudaErrorInvalidValue;
    const auto made = core.ipc().share(reinterpret_cast<uint64_t>(address));
    if (!made) return refused(made.error(), cudaErrorInvalidValue);
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle, &*made, sizeof *made);
    return cudaSuccess;
  });
}
cudaError_t cudaIpcOpenMemHandle(void** address, cudaIpcMemHandle_t handle, unsigned) {
  return call([&](Core& core) {
    if (address == nullptr) return cudaErrorInvalidValue;
    IpcHandle one;
    std::memcpy(static_cast<void*>(&one), &handle, sizeof one);
    const auto opened = core.ipc().open(one);
    if (!opened) return refused(opened.error(), cudaErrorDeviceUninitialized);
    *address = reinterpret_cast<void*>(*opened);
    return cudaSuccess;
  });
}
cudaError_t cudaIpcCloseMemHandle(void* address) {
  return call([&](Core& core) {
    const auto done = core.ipc().close(reinterpret_cast<uint64_t>(address));
    return done ? cudaSuccess : refused(done.error(), cudaErrorInvalidValue);
  });
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return call([&](Core& core) {
    const auto known = event_of(core, event);
    if (handle == nullptr || known == nullptr) return cudaErrorInvalidResourceHandle;
    if ((known->flags & cudaEventInterprocess) == 0) return cudaErrorInvalidValue;
    std::memset(handle, 0, sizeof *handle);
    return cudaSuccess;
  });
}
// What the other process asked for before it recorded the event is done; so is the event.
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t) {
  return cudaEventCreateWithFlags(event, cudaEventInterprocess | cudaEventDisableTiming);
}
}
