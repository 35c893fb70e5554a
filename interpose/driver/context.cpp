// Contexts: each device has one, which is its primary context and every one that is created for it.
#include "interpose/driver/state.h"

namespace warpledger::cuda::driver {
namespace {

struct Context {
  int device;
};
Context contexts[kMostDevices] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};

/// The devices below the current one on this thread's stack of contexts.
std::vector<int>& below() {
  thread_local std::vector<int> devices;
  return devices;
}

void push(int device) {
  below().push_back(Devices::current());
  Devices::make_current(device);
}

/// The last one stays: a thread always has a context here.
void pop() {
  if (below().empty()) return;
  Devices::make_current(below().back());
  below().pop_back();
}

}  // namespace

CUcontext context_of(int device) { return reinterpret_cast<CUcontext>(&contexts[device]); }

std::optional<int> device_of(CUcontext context) {
  for (int device = 0; device < Core::get().devices().count(); ++device) {
    if (context == context_of(device)) return device;
  }
  return {};
}

}  // namespace warpledger::cuda::driver

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

extern "C" {

CUresult cuCtxCreate_v2(CUcontext* made, unsigned, CUdevice device) {
  if (made == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  push(device);
  return answer(made, context_of(device));
}
CUresult cuCtxCreate_v4(CUcontext* made, CUctxCreateParams*, unsigned flags, CUdevice device) {
  return cuCtxCreate_v2(made, flags, device);
}
CUresult cuCtxDestroy_v2(CUcontext context) {
  const std::optional<int> device = device_of(context);
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  if (*device == Devices::current()) pop();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  if (context == nullptr) return CUDA_SUCCESS;  // a thread always has one here
  const std::optional<int> device = device_of(context);
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  return Devices::make_current(*device), CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* current) {
  return answer(current, context_of(Devices::current()));
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  const std::optional<int> device = device_of(context);
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  return push(*device), CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent_v2(CUcontext* popped) {
  if (popped != nullptr) *popped = context_of(Devices::current());
  return pop(), CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) { return answer(device, Devices::current()); }
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  const std::optional<int> known = context == nullptr ? Devices::current() : device_of(context);
  return known ? answer(device, *known) : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxGetFlags(unsigned* flags) { return answer(flags, 0); }
CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) { return answer(version, kVersion); }
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE)
    return call([&](Core& core) { return answer(value, core.l2_policy().set_aside()); });
  return answer(value, limit == CU_LIMIT_STACK_SIZE ? 1024 : size_t{8} << 20);
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  if (limit != CU_LIMIT_PERSISTING_L2_CACHE_SIZE) return CUDA_SUCCESS;
  return call([&](Core& core) {
    return core.l2_policy().set_aside(core.gpu(), value) ? CUDA_SUCCESS
                                                         : CUDA_ERROR_UNSUPPORTED_LIMIT;
  });
}
CUresult cuCtxResetPersistingL2Cache() { return CUDA_SUCCESS; }
CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  const std::optional<int> known = context == nullptr ? Devices::current() : device_of(context);
  return known ? answer(id, 1 + *known) : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* preference) {
  return answer(preference, CU_FUNC_CACHE_PREFER_NONE);
}
CUresult cuCtxSetFlags(unsigned) { return CUDA_SUCCESS; }
CUresult cuCtxSetCacheConfig(CUfunc_cache) { return CUDA_SUCCESS; }
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return call([](Core& core) { return as_result(core.synchronize()); });
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice device) {
  return is_device(device) ? answer(made, context_of(device)) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  const CUresult given = answer(flags, 0u);
  return given != CUDA_SUCCESS ? given : answer(active, 1);
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice) { return CUDA_SUCCESS; }
}
