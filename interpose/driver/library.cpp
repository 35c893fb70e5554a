// Libraries of code for all contexts, and their kernels. A kernel of a context is asked for by
// cuKernelGetFunction().
#include <algorithm>

#include "interpose/driver/state.h"
#include "interpose/parameters.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

Kernel& kernel_of(CUkernel kernel) { return *reinterpret_cast<Kernel*>(kernel); }

CUresult find_variable(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name,
                       bool is_managed) {
  return call([&](Core& core) {
    Symbol symbol;
    const Error error = library_variable(core, library, name, is_managed, &symbol);
    if (error != Error::kNone) return as_result(error);
    if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(symbol.bytes);
    if (bytes != nullptr) *bytes = symbol.size;
    return CUDA_SUCCESS;
  });
}

template <class Load>
CUresult load(CUlibrary* library, Load load_it) {
  return call([&](Core& core) {
    Module* made = nullptr;
    if (library == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (const Error error = load_it(core, &made); error != Error::kNone) return as_result(error);
    return answer(library, reinterpret_cast<CUlibrary>(made));
  });
}

}  // namespace

extern "C" {

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  return load(library, [&](Core& core, Module** made) { return load_library(core, code, made); });
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**,
                               unsigned, CUlibraryOption*, void**, unsigned) {
  return load(library,
              [&](Core& core, Module** made) { return load_library_file(core, path, made); });
}
CUresult cuLibraryUnload(CUlibrary library) {
  return call([&](Core& core) {
    return core.libraries().unload(library) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return call([&](Core& core) {
    return as_result(library_kernel(core, library, name, reinterpret_cast<Kernel**>(kernel)));
  });
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return call([&](Core& core) {
    const Module* module = core.libraries().find(library);
    return module == nullptr ? CUDA_ERROR_INVALID_HANDLE : answer(count, module->kernels().size());
  });
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  return call([&](Core& core) {
    const Module* module = core.libraries().find(library);
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (kernels == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < std::min<size_t>(count, module->kernels().size()); ++i)
      kernels[i] = reinterpret_cast<CUkernel>(module->kernels()[i].get());
    return CUDA_SUCCESS;
  });
}
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return call([&](Core& core) {
    Module* known = core.libraries().find(library);
    if (known == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto here = core.on_current(*known);
    return here ? answer(module, reinterpret_cast<CUmodule>(*here)) : CUDA_ERROR_INVALID_IMAGE;
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                            const char* name) {
  return find_variable(address, bytes, library, name, false);
}
CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                             const char* name) {
  return find_variable(address, bytes, library, name, true);
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return call([&](Core& core) {
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto here = core.on_current(kernel_of(kernel));
    return here ? answer(function, reinterpret_cast<CUfunction>(*here)) : CUDA_ERROR_INVALID_IMAGE;
  });
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return call([&](Core& core) {
    if (kernel == nullptr || core.libraries().find(kernel_of(kernel).module) == nullptr)
      return CUDA_ERROR_INVALID_HANDLE;
    return answer(library, reinterpret_cast<CUlibrary>(kernel_of(kernel).module));
  });
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  return call([&](Core&) {
    if (kernel == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto place = parameter_place(kernel_of(kernel), index);
    if (!place || offset == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *offset = place->offset;
    if (bytes != nullptr) *bytes = place->bytes;
    return CUDA_SUCCESS;
  });
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* bytes) {
  return cuKernelGetParamInfo(reinterpret_cast<CUkernel>(function), index, offset, bytes);
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice) {
  return cuFuncGetAttribute(value, attribute, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute, value);
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache preference, CUdevice) {
  return cuFuncSetCacheConfig(reinterpret_cast<CUfunction>(kernel), preference);
}
}
