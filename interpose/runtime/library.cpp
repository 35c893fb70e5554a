// Libraries of code that a program loads itself, for all devices.
#include <algorithm>

#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

/// A handle for launches, as kernels of the program have one.
cudaKernel_t handle_of(Kernel& kernel) {
  registry().kernels[&kernel] = {kernel.module, kernel.name, &kernel};
  return reinterpret_cast<cudaKernel_t>(&kernel);
}

cudaError_t find_variable(void** address, size_t* bytes, cudaLibrary_t library, const char* name,
                          bool is_managed) {
  return call([&](Core& core) {
    Symbol symbol;
    const Error error = library_variable(core, library, name, is_managed, &symbol);
    if (error != Error::kNone) return as_cuda(error);
    if (address != nullptr) *address = symbol.bytes;
    if (bytes != nullptr) *bytes = symbol.size;
    return cudaSuccess;
  });
}

template <class Load>
cudaError_t load(cudaLibrary_t* library, Load load_it) {
  return call([&](Core& core) {
    Module* made = nullptr;
    if (library == nullptr) return cudaErrorInvalidValue;
    if (const Error error = load_it(core, &made); error != Error::kNone) return as_cuda(error);
    return answer(library, reinterpret_cast<cudaLibrary_t>(made));
  });
}

}  // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  return load(library, [&](Core& core, Module** made) { return load_library(core, code, made); });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*,
                                    void**, unsigned, cudaLibraryOption*, void**, unsigned) {
  return load(library,
              [&](Core& core, Module** made) { return load_library_file(core, path, made); });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return call([&](Core& core) {
    if (!core.libraries().unload(library)) return cudaErrorInvalidResourceHandle;
    const auto* module = reinterpret_cast<const Module*>(library);
    std::erase_if(registry().kernels, [&](const auto& one) { return one.second.module == module; });
    return cudaSuccess;
  });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return call([&](Core& core) {
    Kernel* found = nullptr;
    const Error error = library_kernel(core, library, name, &found);
    return error != Error::kNone ? as_cuda(error) : answer(kernel, handle_of(*found));
  });
}
cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
  return find_variable(address, bytes, library, name, false);
}
cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library,
                                  const char* name) {
  return find_variable(address, bytes, library, name, true);
}
cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return call([&](Core& core) {
    const Module* module = core.libraries().find(library);
    return module == nullptr ? cudaErrorInvalidResourceHandle
                             : answer(count, module->kernels().size());
  });
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned count,
                                        cudaLibrary_t library) {
  return call([&](Core& core) {
    const Module* module = core.libraries().find(library);
    if (module == nullptr) return cudaErrorInvalidResourceHandle;
    if (kernels == nullptr) return cudaErrorInvalidValue;
    for (size_t i = 0; i < std::min<size_t>(count, module->kernels().size()); ++i)
      kernels[i] = handle_of(*module->kernels()[i]);
    return cudaSuccess;
  });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute,
                                            int value, int device) {
  if (!Core::get().devices().has(device)) return note(cudaErrorInvalidDevice);
  const int before = Devices::current();
  Devices::make_current(device);
  const cudaError_t done = cudaFuncSetAttribute(kernel, attribute, value);
  return Devices::make_current(before), done;
}
}
