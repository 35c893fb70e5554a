// Virtual memory management. A CUmemGenericAllocationHandle is the core's number.
#include <cstring>

#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

CUresult as_result(const warpledger::Status& status) {
  if (status) return CUDA_SUCCESS;
  Core::say(status.error());
  return driver::as_result(refusal_error(status.error(), Error::kInvalidValue));
}

/// Stores a number that was made, or says why there is none.
template <class T>
CUresult take(T* room, const warpledger::Result<uint64_t>& made) {
  if (!made) return as_result(warpledger::Status(made.error()));
  return answer(room, *made);
}

bool is_device(const CUmemLocation& location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && Core::get().devices().has(location.id);
}

}  // namespace

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp*,
                                       CUmemAllocationGranularity_flags) {
  return answer(bytes, kGranularity);
}
CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr,
                             unsigned long long) {
  return call([&](Core& core) {  // the wished address is a hint
    if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return take(address, core.virtual_memory().reserve(bytes, alignment));
  });
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return call(
      [&](Core& core) { return as_result(core.virtual_memory().free_addresses(address, bytes)); });
}
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long) {
  return call([&](Core& core) {
    if (handle == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE) {
      Core::say("cuMemCreate: memory that is shared with other processes is not supported");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!is_device(properties->location)) return CUDA_ERROR_INVALID_DEVICE;
    return take(handle, core.virtual_memory().create(bytes, properties->location.id));
  });
}
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return call([&](Core& core) { return as_result(core.virtual_memory().release(handle)); });
}
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return call([&](Core& core) {
    if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return take(handle, core.virtual_memory().retain(reinterpret_cast<uint64_t>(address)));
  });
}
CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return call([&](Core& core) {
    if (properties == nullptr || !core.virtual_memory().knows(handle))
      return CUDA_ERROR_INVALID_VALUE;
    std::memset(properties, 0, sizeof *properties);
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties->location.id = core.virtual_memory().device_of(handle);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long) {
  return call([&](Core& core) {
    if (offset != 0) return CUDA_ERROR_INVALID_VALUE;  // CUDA asks for zero
    return as_result(core.virtual_memory().map(address, bytes, handle));
  });
}
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return call([&](Core& core) { return as_result(core.virtual_memory().unmap(address, bytes)); });
}
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* list,
                        size_t count) {
  return call([&](Core& core) {
    for (size_t i = 0; i < count; ++i) {
      if (list == nullptr || !is_device(list[i].location)) return CUDA_ERROR_INVALID_DEVICE;
      const bool is_granted = list[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
      const CUresult done = as_result(core.virtual_memory().set_access(address, bytes, is_granted));
      if (done != CUDA_SUCCESS) return done;
    }
    return CUDA_SUCCESS;
  });
}
CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr address) {
  return call([&](Core& core) {
    if (location == nullptr || !is_device(*location)) return CUDA_ERROR_INVALID_VALUE;
    const auto granted = core.virtual_memory().access(address);
    if (!granted) return CUDA_ERROR_INVALID_VALUE;
    return answer(flags,
                  *granted ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE);
  });
}
}
