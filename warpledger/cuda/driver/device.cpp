// Initialisation, the device, its one context, entry points.
#include "warpledger/cuda/device.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "warpledger/cuda/driver/state.h"

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
#include "warpledger/cuda/driver/errors.def"
#undef ERROR
};

struct Entry {
  const char* name;
  int version, flags;
  const char* symbol;
};
constexpr Entry kEntries[] = {
#define ENTRY(name, version, flags, symbol) {name, version, flags, symbol},
#include "warpledger/cuda/driver/entries.def"
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
CUresult cuDriverGetVersion(int* version) {
  *version = kVersion;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult result, const char** name) {
  for (const Words& words : kWords) {
    if (words.result == result) return *name = words.name, CUDA_SUCCESS;
  }
  return *name = nullptr, CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult result, const char** text) {
  for (const Words& words : kWords) {
    if (words.result == result) return *text = words.text, CUDA_SUCCESS;
  }
  return *text = nullptr, CUDA_ERROR_INVALID_VALUE;
}
// Private tables are nobody's to answer: NVRTC compiles normally when it is refused.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* result) {
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

CUresult cuDeviceGetCount(int* count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<size_t>(length), "%s", device_name(Core::get().gpu()).c_str());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  return call([&](Core& core) { return *value = attribute_of(core, attribute), CUDA_SUCCESS; });
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice) {
  return *bytes = Core::get().memory().capacity(), CUDA_SUCCESS;
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice) {
  *major = Core::get().gpu().architecture.major;
  *minor = Core::get().gpu().architecture.minor;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice) {
  std::memset(id, 0x57, sizeof *id);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice) {
  std::snprintf(id, static_cast<size_t>(length), "0000:01:00.0");
  return CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) { return *can = 0, CUDA_SUCCESS; }

CUresult cuCtxCreate_v2(CUcontext* made, unsigned, CUdevice) {
  return *made = context(), CUDA_SUCCESS;
}
CUresult cuCtxCreate_v4(CUcontext* made, CUctxCreateParams*, unsigned, CUdevice) {
  return *made = context(), CUDA_SUCCESS;
}
CUresult cuCtxDestroy_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext* current) { return *current = context(), CUDA_SUCCESS; }
CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext* popped) {
  if (popped != nullptr) *popped = context();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) { return *device = 0, CUDA_SUCCESS; }
CUresult cuCtxGetFlags(unsigned* flags) { return *flags = 0, CUDA_SUCCESS; }
CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
  return *version = kVersion, CUDA_SUCCESS;
}
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  *value = limit == CU_LIMIT_STACK_SIZE ? 1024 : size_t{8} << 20;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit, size_t) { return CUDA_SUCCESS; }
CUresult cuCtxSetCacheConfig(CUfunc_cache) { return CUDA_SUCCESS; }
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return call([](Core&) { return CUDA_SUCCESS; });
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* made, CUdevice) {
  return *made = context(), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice, unsigned) { return CUDA_SUCCESS; }
CUresult cuDevicePrimaryCtxGetState(CUdevice, unsigned* flags, int* active) {
  *flags = 0;
  return *active = 1, CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxReset_v2(CUdevice) { return CUDA_SUCCESS; }
}
