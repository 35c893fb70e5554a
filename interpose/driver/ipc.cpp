// Memory and events shared with other processes.
#include <cstring>

#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

/// What went wrong, said and as a code. The name of CUDA_ERROR_INVALID_CONTEXT is "invalid device
/// context".
CUresult refused(const warpledger::Diagnostic& why, CUresult code) { return Core::say(why), code; }

}  // namespace

extern "C" {

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return call([&](Core& core) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto made = core.ipc().share(address);
    if (!made) return refused(made.error(), CUDA_ERROR_INVALID_VALUE);
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle, &*made, sizeof *made);
    return CUDA_SUCCESS;
  });
}
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned) {
  return call([&](Core& core) {
    if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
    IpcHandle one;
    std::memcpy(static_cast<void*>(&one), &handle, sizeof one);
    const auto opened = core.ipc().open(one);
    if (!opened) return refused(opened.error(), CUDA_ERROR_INVALID_CONTEXT);
    *address = *opened;
    return CUDA_SUCCESS;
  });
}
CUresult cuIpcCloseMemHandle(CUdeviceptr address) {
  return call([&](Core& core) {
    const auto done = core.ipc().close(address);
    return done ? CUDA_SUCCESS : refused(done.error(), CUDA_ERROR_INVALID_VALUE);
  });
}
CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  return call([&](Core& core) {
    const auto known = event_of(core, event);
    if (handle == nullptr || known == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if ((known->flags & CU_EVENT_INTERPROCESS) == 0) return CUDA_ERROR_INVALID_VALUE;
    std::memset(handle, 0, sizeof *handle);
    return CUDA_SUCCESS;
  });
}
// What the other process asked for before it recorded the event is done; so is the event.
CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle) {
  return cuEventCreate(event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING);
}
}
