// Memory, copies, fills, streams and events.
#include <cstring>

#include "warpledger/cuda/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
Event* event_of(CUevent event) { return reinterpret_cast<Event*>(event); }

CUresult allocate(CUdeviceptr* address, size_t bytes, MemoryKind kind) {
  return call([&](Core& core) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const auto made = core.memory().allocate(bytes, kind);
    if (!made) return CUDA_ERROR_OUT_OF_MEMORY;
    return *address = *made, CUDA_SUCCESS;
  });
}
CUresult release(CUdeviceptr address, bool of_host) {
  return call([&](Core& core) {
    if (address == 0) return CUDA_SUCCESS;
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
template <class T>
CUresult fill(CUdeviceptr to, T value, size_t count, CUstream handle) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    return as_result(core.fill(to, &value, sizeof value, count, stream));
  });
}

}  // namespace

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return allocate(address, bytes, MemoryKind::kDevice);
}
CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream) {
  return allocate(address, bytes, MemoryKind::kDevice);
}
CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned) {
  return allocate(address, bytes, MemoryKind::kManaged);
}
CUresult cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                            unsigned) {
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
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream) { return release(address, false); }
CUresult cuMemFreeHost(void* pointer) { return release(number(pointer), true); }
CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned) {
  return call([&](Core& core) {
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
  return *address = number(pointer), CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(size_t* available, size_t* total) {
  return call([&](Core& core) {
    *total = core.memory().capacity();
    return *available = *total - core.memory().bytes_in_use(), CUDA_SUCCESS;
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
    if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER && !core.memory().lend_mapping(address))
      return CUDA_ERROR_INVALID_VALUE;
    const auto range = core.memory().holding(address);
    if (!range) return CUDA_ERROR_INVALID_VALUE;
    const bool on_device =
        range->kind == MemoryKind::kDevice || range->kind == MemoryKind::kManaged;
    switch (attribute) {
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        return *static_cast<CUdeviceptr*>(value) = address, CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return *static_cast<unsigned*>(value) =
                   on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
               CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        return *static_cast<CUcontext*>(value) = reinterpret_cast<CUcontext>(&core), CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return *static_cast<unsigned*>(value) = range->kind == MemoryKind::kManaged, CUDA_SUCCESS;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        return *static_cast<int*>(value) = 0, CUDA_SUCCESS;
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
  return copy(to, from, bytes, nullptr);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(to, from, bytes, stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return copy(to, number(from), bytes, nullptr);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy(to, number(from), bytes, stream);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return copy(number(to), from, bytes, nullptr);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy(number(to), from, bytes, stream);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy(to, from, bytes, nullptr);
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

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return call([&](Core& core) {
    return *stream = reinterpret_cast<CUstream>(core.timeline().create(flags, priority)),
           CUDA_SUCCESS;
  });
}
CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
CUresult cuStreamDestroy_v2(CUstream stream) {
  return call([&](Core& core) {
    return core.timeline().destroy(reinterpret_cast<Stream*>(stream)) ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_INVALID_HANDLE;
  });
}
CUresult cuStreamSynchronize(CUstream stream) {
  return with_stream(stream, [](Core&, Stream&) { return CUDA_SUCCESS; });
}
CUresult cuStreamQuery(CUstream stream) { return cuStreamSynchronize(stream); }
CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return with_stream(stream, [&](Core&, Stream& one) { return *flags = one.flags, CUDA_SUCCESS; });
}
CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return with_stream(stream,
                     [&](Core&, Stream& one) { return *priority = one.priority, CUDA_SUCCESS; });
}
CUresult cuStreamGetCtx(CUstream, CUcontext* made) { return cuCtxGetCurrent(made); }
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return with_stream(stream, [&](Core&, Stream& one) {
    *status = one.capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  });
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    core.timeline().wait(one, *event_of(event));
    return CUDA_SUCCESS;
  });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    return as_result(core.submit(one, [function, data] { return function(data), Error::kNone; }));
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return call([&](Core& core) {
    if ((flags & CU_EVENT_DISABLE_TIMING) == 0) core.want_time();
    return *event = reinterpret_cast<CUevent>(new Event{.flags = flags}), CUDA_SUCCESS;
  });
}
CUresult cuEventDestroy_v2(CUevent event) { return delete event_of(event), CUDA_SUCCESS; }
CUresult cuEventRecord(CUevent event, CUstream stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    core.timeline().record(*event_of(event), one);
    return CUDA_SUCCESS;
  });
}
CUresult cuEventSynchronize(CUevent) {
  return call([](Core&) { return CUDA_SUCCESS; });
}
CUresult cuEventQuery(CUevent event) { return cuEventSynchronize(event); }
CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent first, CUevent second) {
  return call([&](Core&) {
    const Event &a = *event_of(first), &b = *event_of(second);
    if (!a.recorded || !b.recorded) return CUDA_ERROR_INVALID_HANDLE;
    return *milliseconds = static_cast<float>((b.time - a.time) * 1000), CUDA_SUCCESS;
  });
}
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* milliseconds, CUevent first, CUevent second) {
  return cuEventElapsedTime_v2(milliseconds, first, second);
}
}
