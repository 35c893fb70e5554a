// Initialization, devices, entry points.
#include "interpose/device.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <set>

#include "interpose/driver/state.h"
#include "interpose/linked_runtime.h"
#include "interpose/ranges.h"

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

}  // namespace
}  // namespace warpledger::cuda::driver

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

extern "C" {

int wl_driver_not_here(const char* name) {
  Core::say(std::string(name) + " is not supported (docs/programs.md)");
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
// Private tables are not provided: without them, NVRTC compiles normally.
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

CUresult cuDeviceGetCount(int* count) { return answer(count, Core::get().devices().count()); }
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return is_device(ordinal) ? answer(device, ordinal) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(name, static_cast<size_t>(length), "%s", device_name(Core::get().gpu()).c_str());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  return call([&](Core& core) { return answer(value, attribute_of(core, attribute, device)); });
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  return answer(bytes, Core::get().memory().capacity());
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice) {
  if (major == nullptr || minor == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *major = Core::get().gpu().architecture.major;
  *minor = Core::get().gpu().architecture.minor;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice device) {
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::memcpy(id, Devices::uuid(device).data(), sizeof *id);
  return CUDA_SUCCESS;
}
#undef cuDeviceGetUuid
CUresult cuDeviceGetUuid(CUuuid* id, CUdevice device) { return cuDeviceGetUuid_v2(id, device); }
CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  if (id == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  std::snprintf(id, static_cast<size_t>(length), "%s", Devices::bus_id(device).c_str());
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* id) {
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::optional<int> found = Core::get().devices().find_bus(id);
  return found ? answer(device, *found) : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuProfilerStart() {
  Ranges::get().start_profiler();
  return CUDA_SUCCESS;
}
CUresult cuProfilerStop() {
  Ranges::get().stop_profiler();
  return CUDA_SUCCESS;
}
}
