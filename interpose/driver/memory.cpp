// Memory, copies and fills.
#include "interpose/driver/state.h"
#include "interpose/host_memory.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

CUresult allocate(CUdeviceptr* address, size_t bytes, MemoryKind kind) {
  return call([&](Core& core) {
    if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (const Error error = core.captures().check_unsafe(); error != Error::kNone)
      return as_result(error);
    const auto made = core.memory().allocate(bytes, kind);
    return made ? answer(address, *made) : CUDA_ERROR_OUT_OF_MEMORY;
  });
}
CUresult release(CUdeviceptr address, bool of_host) {
  return call([&](Core& core) {
    if (address == 0) return CUDA_SUCCESS;
    if (const Error error = core.captures().check_unsafe(); error != Error::kNone)
      return as_result(error);
    const auto done = core.memory().release(address, of_host);
    if (!done) Core::say(done.error());
    return done ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult copy(uint64_t to, uint64_t from, size_t bytes, CUstream handle) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    return as_result(core.copy(to, from, bytes, stream));
  });
}
// At once: no part of a capture, and the host waits.
CUresult copy_now(uint64_t to, uint64_t from, size_t bytes) {
  return call([&](Core& core) {
    Stream& stream = core.timeline().standard();
    Error error = core.captures().check_legacy();
    if (error == Error::kNone) error = core.captures().check_unsafe();
    if (error == Error::kNone) error = core.copy(to, from, bytes, stream);
    return as_result(error != Error::kNone ? error : core.synchronize(stream));
  });
}
template <class T>
CUresult fill(CUdeviceptr to, T value, size_t count, CUstream handle) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    return as_result(core.submit(
        stream, FillWork{.to = to, .value = value, .element_bytes = sizeof value, .width = count}));
  });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return allocate(address, bytes, MemoryKind::kDevice);
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    uint64_t made = 0;
    const Error error =
        core.allocate(bytes, one, core.pools().current({MemoryKind::kDevice, one.device}), &made);
    *address = made;
    return as_result(error);
  });
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned) {
  return allocate(address, bytes, MemoryKind::kManaged);
}
CUresult cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                            unsigned) {
  if (pitch == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + 511) / 512 * 512;
  return allocate(address, *pitch * height, MemoryKind::kDevice);
}
CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned) {
  return allocate(reinterpret_cast<CUdeviceptr*>(pointer), bytes, MemoryKind::kPinned);
}
CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
CUresult cuMemFree_v2(CUdeviceptr address) { return release(address, false); }
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return with_stream(
      stream, [&](Core& core, Stream& one) { return as_result(core.release(address, one)); });
}
CUresult cuMemFreeHost(void* pointer) { return release(number(pointer), true); }
CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned) {
  return call([&](Core& core) {
    if (bytes == 0 || !is_mapped(number(pointer), bytes)) return CUDA_ERROR_INVALID_VALUE;
    return core.memory().lend(number(pointer), bytes) ? CUDA_SUCCESS
                                                      : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  });
}
CUresult cuMemHostUnregister(void* pointer) {
  return call([&](Core& core) {
    return core.memory().take_back(number(pointer)) ? CUDA_SUCCESS
                                                    : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  });
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* pointer, unsigned) {
  return answer(address, number(pointer));
}
CUresult cuMemGetInfo_v2(size_t* available, size_t* total) {
  return call([&](Core& core) {
    if (available == nullptr || total == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *total = core.memory().capacity();
    return *available = core.memory().bytes_free(), CUDA_SUCCESS;
  });
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return call([&](Core& core) {
    const auto range = core.memory().holding(address);
    if (!range) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = range->address;
    if (bytes != nullptr) *bytes = range->bytes;
    return CUDA_SUCCESS;
  });
}
// Triton asks this of every pointer it is given; one of the program's own memory is lent to the
// device with the mapping around it, as on a machine whose GPU reads pageable memory.
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr address) {
  return call([&](Core& core) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER && !core.memory().lend_mapping(address))
      return CUDA_ERROR_INVALID_VALUE;
    const auto range = core.memory().holding(address);
    if (!range) return CUDA_ERROR_INVALID_VALUE;
    const bool on_device = !lies_in_host(range->kind);
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return *static_cast<CUdeviceptr*>(value) = address, CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return *static_cast<unsigned*>(value) =
                   on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
               CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        return *static_cast<CUcontext*>(value) = context_of(range->device), CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return *static_cast<unsigned*>(value) = range->kind == MemoryKind::kManaged, CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return *static_cast<int*>(value) = range->device, CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        return *static_cast<CUdeviceptr*>(value) = range->address, CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        return *static_cast<size_t*>(value) = range->bytes, CUDA_SUCCESS;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
  });
}

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now(to, from, bytes);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(to, from, bytes, stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return copy_now(to, number(from), bytes);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy(to, number(from), bytes, stream);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return copy_now(number(to), from, bytes);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(number(to), from, bytes, stream);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now(to, from, bytes);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(to, from, bytes, stream);
}
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return fill(to, value, count, nullptr);
}
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return fill(to, value, count, nullptr);
}
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return fill(to, value, count, nullptr);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill(to, value, count, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill(to, value, count, stream);
}
}
