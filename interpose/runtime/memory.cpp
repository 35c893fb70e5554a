// Allocations, what a pointer is, and symbols.
#include <cstring>

#include "interpose/host_memory.h"
#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

constexpr size_t kPitch = 512;

// A graph would not repeat it: captures may forbid these.
cudaError_t allocate(void** pointer, size_t bytes, MemoryKind kind) {
  return call([&](Core& core) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    if (const Error error = core.captures().check_unsafe(); error != Error::kNone)
      return as_cuda(error);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    const auto made = core.memory().allocate(bytes, kind);
    if (!made) return cudaErrorMemoryAllocation;
    if (kind == MemoryKind::kDevice) core.keep_for_capture(*made);
    *pointer = reinterpret_cast<void*>(*made);
    return cudaSuccess;
  });
}

cudaError_t release(void* pointer, bool of_host) {
  return call([&](Core& core) {
    if (pointer == nullptr) return cudaSuccess;
    if (const Error error = core.captures().check_unsafe(); error != Error::kNone)
      return as_cuda(error);
    const auto done = core.memory().release(reinterpret_cast<uint64_t>(pointer), of_host);
    if (done) return cudaSuccess;
    Core::say(done.error());
    return cudaErrorInvalidValue;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::kDevice);
}
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    uint64_t address = 0;
    const Error error = core.allocate(
        bytes, one, core.pools().current({MemoryKind::kDevice, one.device}), &address);
    *pointer = reinterpret_cast<void*>(address);
    return as_cuda(error);
  });
}
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, MemoryKind::kManaged);
}
cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::kPinned);
}
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return allocate(pointer, bytes, MemoryKind::kPinned);
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  if (pitch == nullptr) return note(cudaErrorInvalidValue);
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return cudaMalloc(pointer, *pitch * height);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* made, cudaExtent extent) {
  if (made == nullptr) return note(cudaErrorInvalidValue);
  made->xsize = extent.width;
  made->ysize = extent.height;
  return cudaMallocPitch(&made->ptr, &made->pitch, extent.width, extent.height * extent.depth);
}
cudaError_t cudaFree(void* pointer) { return release(pointer, false); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    return as_cuda(core.release(reinterpret_cast<uint64_t>(pointer), one));
  });
}
cudaError_t cudaFreeHost(void* pointer) { return release(pointer, true); }

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  return call([&](Core& core) {
    if (bytes == 0 || !is_mapped(reinterpret_cast<uint64_t>(pointer), bytes))
      return cudaErrorInvalidValue;
    const auto done = core.memory().lend(reinterpret_cast<uint64_t>(pointer), bytes);
    return done ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return call([&](Core& core) {
    const auto done = core.memory().take_back(reinterpret_cast<uint64_t>(pointer));
    return done ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call([&](Core& core) {
    if (!core.memory().holding(reinterpret_cast<uint64_t>(host))) return cudaErrorInvalidValue;
    return answer(device, host);
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void*) {
  return note(answer(flags, cudaHostAllocMapped));
}

cudaError_t cudaMemGetInfo(size_t* available, size_t* total) {
  return call([&](Core& core) {
    if (available == nullptr || total == nullptr) return cudaErrorInvalidValue;
    *total = core.memory().capacity();
    *available = core.memory().bytes_free();
    return cudaSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&](Core& core) {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    std::memset(attributes, 0, sizeof *attributes);
    attributes->device = -2;
    const auto range = core.memory().holding(reinterpret_cast<uint64_t>(pointer));
    if (!range) return cudaSuccess;  // cudaMemoryTypeUnregistered
    auto* both = const_cast<void*>(pointer);
    attributes->device = range->device;
    attributes->devicePointer = both;
    const bool is_device_only =
        range->kind == MemoryKind::kDevice || range->kind == MemoryKind::kMapped;
    if (!is_device_only) attributes->hostPointer = both;
    attributes->type = is_device_only                        ? cudaMemoryTypeDevice
                       : range->kind == MemoryKind::kManaged ? cudaMemoryTypeManaged
                                                             : cudaMemoryTypeHost;
    return cudaSuccess;
  });
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;  // where pages lie makes no difference here
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

cudaError_t cudaGetSymbolAddress(void** pointer, const void* variable) {
  return call([&](Core& core) {
    Symbol symbol;
    if (const cudaError_t error = find(core, variable, &symbol)) return error;
    return answer(pointer, symbol.bytes);  // of a constant: for copies, not for kernels
  });
}
cudaError_t cudaGetSymbolSize(size_t* size, const void* variable) {
  return call([&](Core& core) {
    Symbol symbol;
    if (const cudaError_t error = find(core, variable, &symbol)) return error;
    return answer(size, symbol.size);
  });
}
}
