// The device of --gpu. Values that are not in its file are those of all such GPUs.
#include "interpose/device.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "interpose/ranges.h"
#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

constexpr int kDriverVersion = 13000;

/// What CUDA 13 took out of the structure.
void describe_fields_of_12([[maybe_unused]] Core& core, [[maybe_unused]] cudaDeviceProp& p) {
#if CUDART_VERSION < 13000
  p.clockRate = attribute_of(core, cudaDevAttrClockRate);
  p.memoryClockRate = attribute_of(core, cudaDevAttrMemoryClockRate);
  p.deviceOverlap = 1;
  p.computeMode = cudaComputeModeDefault;
  p.maxTexture1DLinear = 1 << 28;
#endif
}

void describe(Core& core, int device, cudaDeviceProp& p) {
  const warpledger::Gpu& gpu = core.gpu();
  const auto has = [&](int attribute) { return attribute_of(core, attribute); };
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "%s", device_name(gpu).c_str());
  p.totalGlobalMem = core.memory().capacity();
  p.sharedMemPerBlock = static_cast<size_t>(has(cudaDevAttrMaxSharedMemoryPerBlock));
  p.sharedMemPerBlockOptin = static_cast<size_t>(has(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  p.sharedMemPerMultiprocessor =
      static_cast<size_t>(has(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  p.reservedSharedMemPerBlock = static_cast<size_t>(has(cudaDevAttrReservedSharedMemoryPerBlock));
  p.regsPerBlock = has(cudaDevAttrMaxRegistersPerBlock);
  p.regsPerMultiprocessor = has(cudaDevAttrMaxRegistersPerMultiprocessor);
  p.warpSize = has(cudaDevAttrWarpSize);
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = has(cudaDevAttrMaxThreadsPerBlock);
  p.maxThreadsPerMultiProcessor = has(cudaDevAttrMaxThreadsPerMultiProcessor);
  p.maxBlocksPerMultiProcessor = has(cudaDevAttrMaxBlocksPerMultiprocessor);
  const int threads[3] = {has(cudaDevAttrMaxBlockDimX), has(cudaDevAttrMaxBlockDimY),
                          has(cudaDevAttrMaxBlockDimZ)};
  const int blocks[3] = {has(cudaDevAttrMaxGridDimX), has(cudaDevAttrMaxGridDimY),
                         has(cudaDevAttrMaxGridDimZ)};
  std::memcpy(p.maxThreadsDim, threads, sizeof threads);
  std::memcpy(p.maxGridSize, blocks, sizeof blocks);
  p.totalConstMem = static_cast<size_t>(has(cudaDevAttrTotalConstantMemory));
  p.major = gpu.architecture.major;
  p.minor = gpu.architecture.minor;
  p.multiProcessorCount = has(cudaDevAttrMultiProcessorCount);
  p.l2CacheSize = has(cudaDevAttrL2CacheSize);
  p.persistingL2CacheMaxSize = has(cudaDevAttrMaxPersistingL2CacheSize);
  p.accessPolicyMaxWindowSize = has(cudaDevAttrMaxAccessPolicyWindowSize);
  p.memoryBusWidth = has(cudaDevAttrGlobalMemoryBusWidth);
  p.textureAlignment = 512;
  p.asyncEngineCount = has(cudaDevAttrAsyncEngineCount);
  p.concurrentKernels = p.unifiedAddressing = p.managedMemory = p.canMapHostMemory = 1;
  p.concurrentManagedAccess = p.cooperativeLaunch = p.hostRegisterSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = p.streamPrioritiesSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.memoryPoolsSupported = 1;
  p.pciBusID = Devices::bus_number(device);
  std::memcpy(&p.uuid, Devices::uuid(device).data(), sizeof p.uuid);
  describe_fields_of_12(core, p);
}

/// A function of our libcuda, which is in the same directory as this library.
void* driver_function(const char* name) {
  static void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  return driver == nullptr ? nullptr : dlsym(driver, name);
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  return note(answer(count, Core::get().devices().count()));
}
cudaError_t cudaGetDevice(int* device) { return note(answer(device, Devices::current())); }
cudaError_t cudaSetDevice(int device) {
  if (!Core::get().devices().has(device)) return note(cudaErrorInvalidDevice);
  return Devices::make_current(device), cudaSuccess;
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return note(Core::get().devices().has(device) ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaSetValidDevices(int*, int) { return cudaSuccess; }
cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }
cudaError_t cudaGetDeviceFlags(unsigned* flags) { return note(answer(flags, cudaDeviceMapHost)); }
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp*) { return cudaGetDevice(device); }
cudaError_t cudaDeviceSynchronize() {
  return call([](Core& core) { return as_cuda(core.synchronize()); });
}
cudaError_t cudaDeviceReset() {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  const Error sticky = core.sticky();
  core.reset_sticky();
  return as_cuda(sticky);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call([&](Core& core) {
    if (!core.devices().has(device)) return cudaErrorInvalidDevice;
    if (properties == nullptr) return cudaErrorInvalidValue;
    describe(core, device, *properties);
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return call([&](Core& core) {
    if (!core.devices().has(device)) return cudaErrorInvalidDevice;
    return answer(value, attribute_of(core, attribute, device));
  });
}
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return note(answer(value, 1024));
    case cudaLimitPrintfFifoSize:
      return note(answer(value, 1 << 20));
    case cudaLimitMallocHeapSize:
      return note(answer(value, 8 << 20));
    case cudaLimitPersistingL2CacheSize:
      return call([&](Core& core) { return answer(value, core.l2_policy().set_aside()); });
    default:
      return note(cudaErrorUnsupportedLimit);
  }
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit != cudaLimitPersistingL2CacheSize) return cudaSuccess;  // no other is kept here
  return call([&](Core& core) {
    return core.l2_policy().set_aside(core.gpu(), value) ? cudaSuccess : cudaErrorUnsupportedLimit;
  });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
  return note(answer(preference, cudaFuncCachePreferNone));
}
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return note(answer(config, cudaSharedMemBankSizeFourByte));
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  if (id == nullptr || length <= 0) return note(cudaErrorInvalidValue);
  if (!Core::get().devices().has(device)) return note(cudaErrorInvalidDevice);
  std::snprintf(id, static_cast<size_t>(length), "%s", Devices::bus_id(device).c_str());
  return cudaSuccess;
}
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* id) {
  if (device == nullptr || id == nullptr) return note(cudaErrorInvalidValue);
  const std::optional<int> found = Core::get().devices().find_bus(id);
  return note(found ? answer(device, *found) : cudaErrorInvalidDevice);
}
cudaError_t cudaDriverGetVersion(int* version) { return note(answer(version, kDriverVersion)); }
cudaError_t cudaRuntimeGetVersion(int* version) { return note(answer(version, CUDART_VERSION)); }
cudaError_t cudaProfilerStart() {
  Ranges::get().start_profiler();
  return cudaSuccess;
}
cudaError_t cudaProfilerStop() {
  Ranges::get().stop_profiler();
  return cudaSuccess;
}
cudaError_t cudaGetExportTable(const void** table, const cudaUUID_t*) {
  if (table != nullptr) *table = nullptr;  // private tables are not provided
  return cudaErrorInvalidValue;
}

// CUTLASS and others fetch driver functions this way: ours, or none.
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* result) {
  using Find = int (*)(const char*, void**, int, unsigned long long, void*);
  if (name == nullptr || function == nullptr) return note(cudaErrorInvalidValue);
  const auto find = reinterpret_cast<Find>(driver_function("cuGetProcAddress_v2"));
  *function = nullptr;
  const bool found = find != nullptr &&
                     find(name, function, static_cast<int>(version), flags, nullptr) == 0 &&
                     *function != nullptr;
  if (result != nullptr)
    *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* result) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, result);
}
}
