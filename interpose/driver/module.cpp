// Modules, kernels and their launches.
#include "warpledger/ptx/module.h"

#include <cstring>

#include "interpose/driver/state.h"
#include "warpledger/base/file.h"

namespace warpledger::cuda::driver {

// `extra` contains CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE.
std::optional<std::vector<std::byte>> pack(const Kernel& kernel, void** params, void** extra) {
  if (extra == nullptr || params != nullptr) return Core::pack(kernel, params);
  const void* buffer = nullptr;
  size_t bytes = 0;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = at[1];
    if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE && at[1] != nullptr)
      bytes = *static_cast<size_t*>(at[1]);
  }
  if (buffer == nullptr && bytes != 0) return {};
  std::vector<std::byte> packed(bytes);
  if (bytes != 0) std::memcpy(packed.data(), buffer, bytes);
  return packed;
}

}  // namespace warpledger::cuda::driver

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

Kernel& kernel_of(CUfunction function) { return *reinterpret_cast<Kernel*>(function); }

CUresult load(void** handle, const void* image) {
  return call([&](Core& core) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto module = std::make_unique<Module>("module");
    if (image == nullptr || !module->add_image(image)) return CUDA_ERROR_INVALID_IMAGE;
    if (const Error error = core.load(*module); error != Error::kNone) return as_result(error);
    *handle = module.release();
    return CUDA_SUCCESS;
  });
}

CUresult load_file(void** handle, const char* path) {
  if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto bytes = warpledger::read_file(path);
  return bytes ? load(handle, bytes->c_str()) : CUDA_ERROR_FILE_NOT_FOUND;
}

CUresult find_kernel(void** kernel, void* module, const char* name) {
  return call([&](Core&) {
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (kernel == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = static_cast<Module*>(module)->kernel(name);
    return found ? answer(kernel, *found) : CUDA_ERROR_NOT_FOUND;
  });
}

CUresult find_global(CUdeviceptr* address, size_t* bytes, void* module, const char* name) {
  return call([&](Core&) {
    if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = static_cast<Module*>(module)->symbol(name);
    if (!found) return CUDA_ERROR_NOT_FOUND;
    if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(found->bytes);
    if (bytes != nullptr) *bytes = found->size;
    return CUDA_SUCCESS;
  });
}

CUresult launch(CUfunction function, LaunchRequest request, CUstream handle, void** params,
                void** extra) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    request.kernel = &kernel_of(function);
    // A CUkernel refers to the function in the current context.
    if (core.libraries().find(request.kernel->module) != nullptr) {
      const auto here = core.on_current(*request.kernel);
      if (!here) return CUDA_ERROR_INVALID_IMAGE;
      request.kernel = *here;
    }
    auto packed = pack(*request.kernel, params, extra);
    if (!packed) return CUDA_ERROR_INVALID_VALUE;
    request.params = *std::move(packed);
    return as_result(core.submit(stream, KernelWork{std::move(request), function}));
  });
}

bool accepts_window(size_t bytes) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  return core.l2_policy().accept_window(core.gpu(), bytes);
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return load(reinterpret_cast<void**>(module), image);
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return load(reinterpret_cast<void**>(module), image);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return load(reinterpret_cast<void**>(module), image);
}
CUresult cuModuleLoad(CUmodule* module, const char* path) {
  return load_file(reinterpret_cast<void**>(module), path);
}
CUresult cuModuleUnload(CUmodule) { return CUDA_SUCCESS; }  // kept: its kernels may be reported
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  return find_kernel(reinterpret_cast<void**>(function), module, name);
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule module,
                              const char* name) {
  return find_global(address, bytes, module, name);
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return answer(mode, CU_MODULE_EAGER_LOADING);
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return call([&](Core& core) {
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Kernel& kernel = kernel_of(function);
    const warpledger::Architecture& gpu = core.gpu().architecture;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        return answer(value, static_cast<int>(gpu.execution.max_threads_per_block.value));
      case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        return answer(value, static_cast<int>(core.resources(kernel).static_shared_bytes));
      case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        return answer(value, static_cast<int>(kernel.module->image().constants().size()));
      case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        return answer(value, static_cast<int>(core.resources(kernel).local_bytes));
      case CU_FUNC_ATTRIBUTE_NUM_REGS:
        return answer(value, static_cast<int>(core.resources(kernel).registers));
      case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        return answer(value, kernel.module->code().target.number);
      case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        return answer(value, core.target());
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        return answer(value,
                      static_cast<int>(std::max<int64_t>(kernel.max_dynamic_shared,
                                                         gpu.shared_memory.bytes_per_block.value)));
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        return answer(value, kernel.carveout_percent.value_or(-1));
      default:
        return answer(value, 0);
    }
  });
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return call([&](Core& core) {
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    Kernel& kernel = kernel_of(function);
    const auto most = core.gpu().architecture.shared_memory.bytes_per_block_optin.value;
    switch (attribute) {
      case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || value > most) return CUDA_ERROR_INVALID_VALUE;
        kernel.max_dynamic_shared = static_cast<uint32_t>(value);
        return CUDA_SUCCESS;
      case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100) return CUDA_ERROR_INVALID_VALUE;
        kernel.carveout_percent = value < 0 ? std::nullopt : std::optional(value);
        return CUDA_SUCCESS;
      case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:  // a hint
        return CUDA_SUCCESS;
      default:
        // Callers ask for a new attribute and set an older one where it is refused (Triton 3.9 does
        // so for more than 48 KB of shared memory): yes to what we do not do would be a lie.
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache preference) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return kernel_of(function).cache_preference = preference, CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return answer(name, kernel_of(function).name.c_str());
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return answer(module, reinterpret_cast<CUmodule>(kernel_of(function).module));
}

CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, CUstream stream, void** params,
                        void** extra) {
  const LaunchRequest request{
      .grid = {gx, gy, gz}, .block = {bx, by, bz}, .dynamic_shared_bytes = shared};
  return launch(function, request, stream, params, extra);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                                   unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                   CUstream stream, void** params) {
  const LaunchRequest request{.grid = {gx, gy, gz},
                              .block = {bx, by, bz},
                              .dynamic_shared_bytes = shared,
                              .is_cooperative = true};
  return launch(function, request, stream, params, nullptr);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** params,
                          void** extra) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  LaunchRequest request{.grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                        .block = {config->blockDimX, config->blockDimY, config->blockDimZ},
                        .dynamic_shared_bytes = config->sharedMemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      request.is_cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW &&
        !accepts_window(attribute.value.accessPolicyWindow.num_bytes))
      return CUDA_ERROR_INVALID_VALUE;
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& size = attribute.value.clusterDim;
    request.cluster = {size.x, size.y, size.z};
  }
  return launch(function, request, config->hStream, params, extra);
}
}
