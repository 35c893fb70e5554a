// Launches, and attributes of kernels.
#include <cstring>

#include "interpose/runtime/state.h"
#include "warpledger/ptx/module.h"

namespace warpledger::cuda::runtime {
namespace {

struct Shape {
  dim3 grid, block;
  size_t shared = 0;
  bool is_cooperative = false;
  exec::Extent cluster = {0, 0, 0};
};

cudaError_t launch(Core& core, Kernel* kernel, const void* function, const Shape& shape,
                   void** arguments, cudaStream_t handle) {
  Stream* stream = core.timeline().find(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  auto packed = Core::pack(*kernel, arguments);
  if (shape.shared > UINT32_MAX || !packed) return cudaErrorInvalidValue;
  LaunchRequest request{.kernel = kernel,
                        .grid = {shape.grid.x, shape.grid.y, shape.grid.z},
                        .block = {shape.block.x, shape.block.y, shape.block.z},
                        .cluster = shape.cluster,
                        .dynamic_shared_bytes = static_cast<uint32_t>(shape.shared),
                        .params = *std::move(packed),
                        .is_cooperative = shape.is_cooperative};
  return as_cuda(core.submit(*stream, KernelWork{std::move(request), function}));
}

cudaError_t launch(const void* function, const Shape& shape, void** arguments,
                   cudaStream_t stream) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    if (const cudaError_t error = find(core, function, &kernel)) return error;
    return launch(core, kernel, function, shape, arguments, stream);
  });
}

bool accepts_window(size_t bytes) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  return core.l2_policy().accept_window(core.gpu(), bytes);
}

}  // namespace
}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

// The handle came from __cudaGetKernel; null where that failed, and its error is this call's.
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  return call([&](Core& core) {
    if (kernel == nullptr)
      return last_error() == cudaSuccess ? cudaErrorInvalidDeviceFunction : last_error();
    Kernel* here = nullptr;
    if (const cudaError_t error = find(core, kernel, &here)) return error;
    return launch(core, here, kernel, {grid, block, shared}, arguments, stream);
  });
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  return launch(function, {grid, block, shared}, arguments, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t shared, cudaStream_t stream) {
  return launch(function, {grid, block, shared, true}, arguments, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr))
    return note(cudaErrorInvalidValue);
  Shape shape{config->gridDim, config->blockDim, config->dynamicSmemBytes};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative)
      shape.is_cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeAccessPolicyWindow &&
        !accepts_window(attribute.val.accessPolicyWindow.num_bytes))
      return note(cudaErrorInvalidValue);
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    const auto& size = attribute.val.clusterDim;
    shape.cluster = {size.x, size.y, size.z};
  }
  return launch(function, shape, arguments, config->stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    if (const cudaError_t error = find(core, function, &kernel)) return error;
    const warpledger::profile::Resources& has = core.resources(*kernel);
    if (attributes == nullptr) return cudaErrorInvalidValue;
    std::memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = static_cast<size_t>(has.static_shared_bytes);
    attributes->constSizeBytes = kernel->module->image().constants().size();
    attributes->localSizeBytes = static_cast<size_t>(has.local_bytes);
    attributes->maxThreadsPerBlock =
        static_cast<int>(core.gpu().architecture.execution.max_threads_per_block.value);
    attributes->numRegs = static_cast<int>(has.registers);
    attributes->ptxVersion = kernel->module->code().target.number;
    attributes->binaryVersion = core.target();
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(std::max<int64_t>(
        kernel->max_dynamic_shared,
        core.gpu().architecture.shared_memory.bytes_per_block.value - has.static_shared_bytes));
    attributes->preferredShmemCarveout = kernel->carveout_percent.value_or(-1);
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    if (const cudaError_t error = find(core, function, &kernel)) return error;
    const auto most = core.gpu().architecture.shared_memory.bytes_per_block_optin.value;
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || value > most) return cudaErrorInvalidValue;
        kernel->max_dynamic_shared = static_cast<uint32_t>(value);
        return cudaSuccess;
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        kernel->carveout_percent = value < 0 ? std::nullopt : std::optional(value);
        return cudaSuccess;
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache preference) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    if (const cudaError_t error = find(core, function, &kernel)) return error;
    kernel->cache_preference = preference;
    return cudaSuccess;
  });
}
cudaError_t cudaFuncSetSharedMemConfig(const void*, cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    if (const cudaError_t error = find(core, function, &kernel)) return error;
    return answer(name, kernel->name.c_str());
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* function,
                                                                   int threads, size_t shared,
                                                                   unsigned) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    if (const cudaError_t error = find(core, function, &kernel)) return error;
    const auto fits = core.occupancy(*kernel, threads, static_cast<int64_t>(shared));
    if (!fits) return cudaErrorInvalidValue;
    return answer(blocks, fits->blocks_per_sm);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function,
                                                          int threads, size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared,
                                                                0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function,
                                                      int blocks, int threads) {
  return call([&](Core& core) {
    Kernel* kernel = nullptr;
    if (const cudaError_t error = find(core, function, &kernel)) return error;
    return answer(bytes, core.dynamic_shared_left(*kernel, threads, blocks));
  });
}
}
