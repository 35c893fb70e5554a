// nvcc: -lcuda
// The driver's memory pools, virtual memory management, linker and occupancy.
#include <cuda.h>

#include <cstring>

#include "check.h"

__global__ void fill(int* to, int count, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = i + by;
}

static bool pools() {
  CUmemoryPool standard, own, current;
  CHECK_DRIVER(cuDeviceGetDefaultMemPool(&standard, 0));
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  CHECK_DRIVER(cuMemPoolCreate(&own, &properties));
  cuuint64_t threshold = 1 << 20, got = 0, used = 0, high = 0;
  CHECK_DRIVER(cuMemPoolSetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  CHECK_DRIVER(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got));
  CUdeviceptr a;
  CHECK_DRIVER(cuMemAllocFromPoolAsync(&a, 4096, own, nullptr));
  CHECK_DRIVER(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  bool good = got == threshold && used == 4096;
  CHECK_DRIVER(cuMemFreeAsync(a, nullptr));
  CHECK_DRIVER(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  CHECK_DRIVER(cuMemPoolGetAttribute(own, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high));
  good = good && used == 0 && high == 4096;
  CHECK_DRIVER(cuDeviceSetMemPool(0, own));
  cudaMemPool_t seen;  // one device behind both interfaces
  CHECK(cudaDeviceGetMemPool(&seen, 0));
  CHECK_DRIVER(cuDeviceGetMemPool(&current, 0));
  good = good && current == own && reinterpret_cast<void*>(seen) == reinterpret_cast<void*>(own);
  CHECK_DRIVER(cuMemPoolDestroy(own));
  CHECK_DRIVER(cuDeviceGetMemPool(&current, 0));
  return good && current == standard && cuMemPoolDestroy(standard) != CUDA_SUCCESS;
}

// Memory of the host and managed memory from pools: the kernel writes it, the program reads it.
static bool host_pools() {
#if CUDA_VERSION >= 13000
  const CUmemAllocationType managed_type = CU_MEM_ALLOCATION_TYPE_MANAGED;
#else
  const CUmemAllocationType managed_type = static_cast<CUmemAllocationType>(2);
#endif
  const CUmemAllocationType types[] = {CU_MEM_ALLOCATION_TYPE_PINNED, managed_type};
  for (const CUmemAllocationType type : types) {
    CUmemPoolProps properties = {};
    properties.allocType = type;
    properties.location.type = CU_MEM_LOCATION_TYPE_HOST;
    CUmemoryPool pool;
    CHECK_DRIVER(cuMemPoolCreate(&pool, &properties));
    CUdeviceptr a;
    CHECK_DRIVER(cuMemAllocFromPoolAsync(&a, 1024 * sizeof(int), pool, nullptr));
    auto* numbers = reinterpret_cast<int*>(a);
    fill<<<4, 256>>>(numbers, 1024, 5);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 1024; ++i)
      if (numbers[i] != i + 5) return false;
    unsigned managed = 2;
    CHECK_DRIVER(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, a));
    if (managed != (type == managed_type)) return false;
    CHECK_DRIVER(cuMemFreeAsync(a, nullptr));
    CHECK_DRIVER(cuMemPoolDestroy(pool));
  }
  return true;
}

// Two pieces side by side, used as one array by kernels and copies; one of them moves.
static bool virtual_memory() {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t piece = 0;
  CHECK_DRIVER(
      cuMemGetAllocationGranularity(&piece, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUdeviceptr first, second;
  CHECK_DRIVER(cuMemAddressReserve(&first, 2 * piece, 0, 0, 0));
  CHECK_DRIVER(cuMemAddressReserve(&second, piece, 0, 0, 0));
  CUmemGenericAllocationHandle a, b;
  CHECK_DRIVER(cuMemCreate(&a, piece, &properties, 0));
  CHECK_DRIVER(cuMemCreate(&b, piece, &properties, 0));
  CHECK_DRIVER(cuMemMap(first, piece, 0, a, 0));
  CHECK_DRIVER(cuMemMap(first + piece, piece, 0, b, 0));
  CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  int before = 7;
  bool good = cuMemcpyHtoD(first, &before, sizeof before) != CUDA_SUCCESS;  // not granted yet
  CHECK_DRIVER(cuMemSetAccess(first, 2 * piece, &access, 1));
  const int count = static_cast<int>(2 * piece / sizeof(int)), half = count / 2;
  fill<<<(count + 255) / 256, 256>>>(reinterpret_cast<int*>(first), count, 5);
  std::vector<int> host(count);
  CHECK_DRIVER(cuMemcpyDtoH(host.data(), first, 2 * piece));
  for (int i = 0; i < count; ++i) good = good && host[i] == i + 5;
  CHECK_DRIVER(cuMemUnmap(first, 2 * piece));
  good = good && cuMemcpyDtoH(host.data(), first, 4) != CUDA_SUCCESS;
  CHECK_DRIVER(cuMemMap(second, piece, 0, b, 0));
  CHECK_DRIVER(cuMemMap(first, piece, 0, b, 0));  // one memory at two addresses
  CHECK_DRIVER(cuMemSetAccess(second, piece, &access, 1));
  CHECK_DRIVER(cuMemSetAccess(first, piece, &access, 1));
  CHECK_DRIVER(cuMemcpyDtoH(host.data(), second, piece));
  for (int i = 0; i < half; ++i) good = good && host[i] == half + i + 5;
  fill<<<1, 32>>>(reinterpret_cast<int*>(first), 32, 100);
  CHECK_DRIVER(cuMemcpyDtoH(host.data(), second, 4));
  good = good && host[0] == 100;
  CHECK_DRIVER(cuMemUnmap(first, piece));
  CHECK_DRIVER(cuMemUnmap(second, piece));
  CHECK_DRIVER(cuMemRelease(a));
  CHECK_DRIVER(cuMemRelease(b));
  good = good && cuMemRelease(b) != CUDA_SUCCESS;
  CHECK_DRIVER(cuMemAddressFree(first, 2 * piece));
  CHECK_DRIVER(cuMemAddressFree(second, piece));
  return good;
}

static const char* kCaller = R"(.version 7.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 x);
.visible .entry apply(.param .u64 to) {
  .reg .b64 %rd<2>; .reg .b32 %r<2>;
  ld.param.u64 %rd0, [to];
  cvta.to.global.u64 %rd0, %rd0;
  ld.global.u32 %r0, [%rd0];
  { .param .b32 x; .param .b32 r;
    st.param.b32 [x], %r0;
    call.uni (r), twice, (x);
    ld.param.b32 %r1, [r]; }
  st.global.u32 [%rd0], %r1;
  ret;
})";
static const char* kCallee = R"(.version 7.0
.target sm_80
.address_size 64
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .b32 %r<1>;
  ld.param.b32 %r0, [x];
  add.u32 %r0, %r0, %r0;
  st.param.b32 [r], %r0;
  ret;
})";

static bool linker() {
  CUlinkState state;
  CHECK_DRIVER(cuLinkCreate(0, nullptr, nullptr, &state));
  for (const char* text : {kCaller, kCallee}) {
    CHECK_DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(text),
                               std::strlen(text) + 1, "text", 0, nullptr, nullptr));
  }
  void* image;
  size_t bytes;
  CHECK_DRIVER(cuLinkComplete(state, &image, &bytes));
  CUmodule module;
  CUfunction apply;
  CHECK_DRIVER(cuModuleLoadData(&module, image));
  CHECK_DRIVER(cuLinkDestroy(state));
  CHECK_DRIVER(cuModuleGetFunction(&apply, module, "apply"));
  int grid = 0, block = 0;
  CHECK_DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, apply, nullptr, 0, 0));
  int value = 21;
  CUdeviceptr at;
  CHECK_DRIVER(cuMemAlloc(&at, sizeof value));
  CHECK_DRIVER(cuMemcpyHtoD(at, &value, sizeof value));
  void* arguments[] = {&at};
  CHECK_DRIVER(cuLaunchKernel(apply, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK_DRIVER(cuMemcpyDtoH(&value, at, sizeof value));
  return value == 42 && block == 1024 && grid == 2 * 108;
}

// Accepted; the model does not follow it and says so once.
static bool persisting_l2() {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  size_t limit = 0;
  CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, properties.persistingL2CacheMaxSize));
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize));
  cudaStreamAttrValue window = {};
  window.accessPolicyWindow.num_bytes = properties.accessPolicyMaxWindowSize;
  CHECK(cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &window));
  CHECK(cudaCtxResetPersistingL2Cache());
  const auto texel = cudaCreateChannelDesc<float2>();
  return limit == static_cast<size_t>(properties.persistingL2CacheMaxSize) && limit > 0 &&
         texel.x == 32 && texel.y == 32 && texel.z == 0 && texel.f == cudaChannelFormatKindFloat;
}

int main() {
  CHECK(cudaFree(nullptr));
  const bool good[] = {pools(), host_pools(), virtual_memory(), linker(), persisting_l2()};
  bool all = true;
  for (const bool one : good) {
    std::printf("%d ", one);
    all = all && one;
  }
  std::printf("\n");
  return verdict(all);
}
