// nvcc: -lcuda
// Code that the program loads itself as a library: kernels by name and by number, variables,
// refusals.
#include <cuda.h>

#include <cstring>

#include "check.h"

static const char* const kCode = R"(
.version 7.0
.target sm_80
.address_size 64
.global .align 4 .u32 step = 3;
.global .attribute(.managed) .align 4 .u32 shared_by_all = 7;
.visible .entry add_step(.param .u64 at)
{
  .reg .u64 %a, %s;
  .reg .u32 %x, %y;
  ld.param.u64 %a, [at];
  mov.u64 %s, step;
  ld.global.u32 %x, [%a];
  ld.global.u32 %y, [%s];
  add.u32 %x, %x, %y;
  st.global.u32 [%a], %x;
  ret;
}
.visible .entry clear(.param .u64 at, .param .u32 value)
{
  .reg .u64 %a;
  .reg .u32 %x;
  ld.param.u64 %a, [at];
  ld.param.u32 %x, [value];
  st.global.u32 [%a], %x;
  ret;
}
)";

static bool by_the_runtime(unsigned* number) {
  cudaLibrary_t library;
  cudaKernel_t kernel, all[4] = {};
  unsigned count = 0, step = 0, five = 5;
  void *address = nullptr, *managed = nullptr;
  size_t bytes = 0;
  CHECK(cudaLibraryLoadData(&library, kCode, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK(cudaLibraryGetKernelCount(&count, library));
  CHECK(cudaLibraryEnumerateKernels(all, 4, library));
  CHECK(cudaLibraryGetKernel(&kernel, library, "add_step"));
  CHECK(cudaLibraryGetGlobal(&address, &bytes, library, "step"));
  CHECK(cudaLibraryGetManaged(&managed, nullptr, library, "shared_by_all"));
  CHECK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536,
                                        0));
  CHECK(cudaMemcpy(&step, address, sizeof step, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(address, &five, sizeof five, cudaMemcpyHostToDevice));
  void* arguments[] = {&number};
  CHECK(cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr));
  bool good = count == 2 && all[1] != nullptr && all[2] == nullptr && bytes == 4 && step == 3 &&
              *static_cast<unsigned*>(managed) == 7;
  good &= cudaLibraryGetKernel(&kernel, library, "absent") == cudaErrorSymbolNotFound;
  good &= cudaLibraryGetManaged(&managed, nullptr, library, "step") == cudaErrorSymbolNotFound;
  good &= cudaKernelSetAttributeForDevice(all[0], cudaFuncAttributeMaxDynamicSharedMemorySize, 0,
                                          1) == cudaErrorInvalidDevice;
  CHECK(cudaLibraryUnload(library));
  good &= cudaLibraryUnload(library) == cudaErrorInvalidResourceHandle;
  good &= cudaLibraryLoadFromFile(&library, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr,
                                  0) == cudaErrorFileNotFound;
  cudaGetLastError();
  return good;
}

static bool by_the_driver(unsigned* number) {
  CUlibrary library, same;
  CUkernel kernel;
  CUfunction function;
  unsigned count = 0, value = 100;
  size_t offset = 0, bytes = 0;
  const char* name = nullptr;
  CHECK_DRIVER(cuLibraryLoadData(&library, kCode, nullptr, nullptr, 0, nullptr, nullptr, 0));
  CHECK_DRIVER(cuLibraryGetKernelCount(&count, library));
  CHECK_DRIVER(cuLibraryGetKernel(&kernel, library, "clear"));
  CHECK_DRIVER(cuKernelGetLibrary(&same, kernel));
  CHECK_DRIVER(cuKernelGetName(&name, kernel));
  CHECK_DRIVER(cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
  CHECK_DRIVER(cuKernelGetFunction(&function, kernel));
  void* arguments[] = {&number, &value};
  CHECK_DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  const bool none = cuKernelGetParamInfo(kernel, 2, &offset, &bytes) == CUDA_ERROR_INVALID_VALUE;
  CHECK_DRIVER(cuLibraryUnload(library));
  return none && count == 2 && same == library && std::strcmp(name, "clear") == 0 && offset == 8 &&
         bytes == 4 && cuLibraryUnload(library) == CUDA_ERROR_INVALID_HANDLE;
}

/// What is not implemented is refused, not pretended; nor is managed memory shared.
static bool is_not_shared(unsigned* number) {
  cudaIpcMemHandle_t handle;
  const bool is_managed = cudaIpcGetMemHandle(&handle, number) == cudaErrorInvalidValue &&
                          cudaGetLastError() == cudaErrorInvalidValue;
  return is_managed && cudaGraphicsUnregisterResource(nullptr) == cudaErrorNotSupported &&
         cudaGetLastError() == cudaErrorNotSupported;
}

int main() {
  unsigned* number = nullptr;
  CHECK(cudaMallocManaged(&number, sizeof *number));
  bool good = by_the_driver(number);
  CHECK(cudaDeviceSynchronize());
  good &= *number == 100 && by_the_runtime(number);
  CHECK(cudaDeviceSynchronize());
  good &= *number == 105 && is_not_shared(number);
  return verdict(good);
}
