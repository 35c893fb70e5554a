// The driver's log: PyTorch listens to it from its first call on. What went wrong is said on
// standard error at once, so a listener is kept and never called.
#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

extern "C" {

CUresult cuLogsRegisterCallback(CUlogsCallback listener, void*, CUlogsCallbackHandle* handle) {
  if (listener == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (handle != nullptr) *handle = reinterpret_cast<CUlogsCallbackHandle>(&Core::get());
  return CUDA_SUCCESS;
}
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  return handle == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
}
