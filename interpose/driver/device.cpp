// Initialisation, the device, its one context, entry points.
#include "interpose/device.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <set>

#include "interpose/driver/state.h"
#include "interpose/linked_runtime.h"

namespace warpledger::cuda::driver {

// Numbers that only the runtime has.
CUresult as_result(Error error) {
  switch (error) {
    case Error::kInvalidConfiguration:
      return CUDA_ERROR_INVALID_VALUE;
    case Error::kInvalidSymbol:
    case Error::kInvalidDeviceFunction:
      return CUDA_ERROR_NOT_FOUND;
    default:
      return static_cast<CUresult>(error);
  }
}

namespace {

struct Words {
  CUresult result;
  const char *name, *text;
};
constexpr Words kWords[] = {
#define ERROR(name, text) {name, #name, text},
#include "interpose/driver/errors.def"
#undef ERROR
};

struct Entry {
  const char* name;
  int version, flags;
  const char* symbol;
};
constexpr Entry kEntries[] = {
#define ENTRY(name, version, flags, symbol) {name, version, flags, symbol},
#include "interpose/driver/entries.def"
#undef ENTRY
};

/// The newest symbol of that name that is not newer than the version asked for.
const char* symbol_of(const char* name, int version, unsigned flags) {
  const Entry* best = nullptr;
  for (const Entry& entry : kEntries) {
    if (std::strcmp(entry.name, name) != 0 || entry.version > version) continue;
    if (static_cast<unsigned>(entry.flags) != (flags & 2) && entry.flags != 0) continue;
    const bool better = best == nullptr || entry.flags > best->flags ||
                        (entry.flags == best->flags && entry.version >= best->version);
    if (better) best = &entry;
  }
  return best == nullptr ? nullptr : best->symbol;
}

// Once of each library.
void say_who_asks(const std::string& library) {
  static std::mutex lock;
  static std::set<std::string> said;
  const std::lock_guard locked(lock);
  const std::string text = describe_linked_runtime(library);
  if (!text.empty() && said.insert(library).second) Core::say(text);
}

CUcontext context() { return reinterpret_cast<CUcontext>(&Core::get()); }
constexpr int kVersion = 13000;

}  // namespace
}  // namespace warpledger::cuda::driver

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

extern "C" {

int wl_driver_not_here(const char* name) {
  Core::say(std::string(name) + " is not supported under the door (docs/doors.md)");
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int* version) { return answer(version, kVersion); }
CUresult cuGetErrorName(CUresult result, const char** name) {
  for (const Words& words : kWords) {
    if (words.result == result) return answer(name, words.name);
  }
  if (name != nullptr) *name = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult result, const char** text) {
  for (const Words& words : kWords) {
    if (words.result == result) return answer(text, words.text);
  }
  if (text != nullptr) *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
// Private tables are nobody's to answer: NVRTC compiles normally when it is refused.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  say_who_asks(library_at(__builtin_return_address(0)));
  if (table != nullptr) *table = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* result) {
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const char* symbol = symbol_of(name, version, static_cast<unsigned>(flags));
  *function = symbol == nullptr ? nullptr : dlsym(RTLD_DEFAULT, symbol);
  if (symbol != nullptr && *function == nullptr) {
    static void* self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *function = dlsym(self, symbol);
  }
  const bool found = *function != nullptr;
  if (result != nullptr)
    *result = found ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return found || result != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
#undef cuGetProcAddress
CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}

CUresult cuDeviceGetCount(int* count) { return answer(count, 1); }
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return ordinal == 0 ? answer(device, 0) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(name, static_cast<size_t>(length), "%s", device_name(Core::get().gpu()).c_str());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  return call([&](Core& core) { return answer(value, attribute_of(core, attribute)); });
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  return answer(bytes, Core::get().memory().capacity());
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice) {
  if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *major = Core::get().gpu().architecture.major;
  *minor = Core::get().gpu().architecture.minor;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice) {
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::memset(id, 0x57, sizeof *id);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice) {
  if (id == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  std::snprintf(id, static_cast<size_t>(length), "0000:01:00.0");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char*) { return answer(device, 0); }
CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) { return answer(can, 0); }

CUresult cuCtxCreate_v2(CUcontext* made, unsigned, CUdevice) { return answer(made, context()); }
CUresult cuCtxCreate_v4(CUcontext* made, CUctxCreateParams*, unsigned, CUdevice) {
  return answer(made, context());
}
CUresult cuCtxDestroy_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* current) { return answer(current, context()); }
CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext* popped) {
  if (popped != nullptr) *popped = context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) { return answer(device, 0); }
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext) { return answer(device, 0); }
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
CUresult cuCtxGetId(CUcontext, unsigned long long* id) { return answer(id, 1u); }
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
CUresult cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice) { return answer(made, context()); }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  const CUresult given = answer(flags, 0u);
  return given != CUDA_SUCCESS ? given : answer(active, 1);
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice) { return CUDA_SUCCESS; }
}
