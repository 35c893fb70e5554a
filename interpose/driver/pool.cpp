// Memory pools. A handle is the core's Pool.
#include <cstring>
#include <optional>

#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

Pool* pool_of(Core& core, CUmemoryPool handle) {
  auto* pool = reinterpret_cast<Pool*>(handle);
  return core.pools().knows(pool) ? pool : nullptr;
}
CUmemoryPool handle_of(Pool& pool) { return reinterpret_cast<CUmemoryPool>(&pool); }

/// Likewise with the pool (Core&, Pool& -> CUresult).
template <class Body>
CUresult with_pool(CUmemoryPool handle, Body body) {
  return call([&](Core& core) {
    Pool* pool = pool_of(core, handle);
    return pool == nullptr ? CUDA_ERROR_INVALID_VALUE : body(core, *pool);
  });
}

std::optional<Place> place_of(Core& core, const CUmemLocation& location, CUmemAllocationType type) {
  return place_of(core.devices(), location.type, location.id, type);
}

/// Calls with the place's pools (Core&, Place -> CUresult).
template <class Body>
CUresult with_place(const CUmemLocation* location, CUmemAllocationType type, Body body) {
  return call([&](Core& core) {
    if (location == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto place = place_of(core, *location, type);
    return place ? body(core, *place) : CUDA_ERROR_NOT_SUPPORTED;
  });
}

/// Likewise with those of a device's own memory.
template <class Body>
CUresult with_device(int device, Body body) {
  return call([&](Core& core) {
    if (!core.devices().has(device)) return CUDA_ERROR_INVALID_DEVICE;
    return body(core, Place{MemoryKind::kDevice, device});
  });
}

CUresult choose(Core& core, Place place, CUmemoryPool handle) {
  Pool* pool = pool_of(core, handle);
  if (pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return core.pools().make_current(place, *pool), CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return with_device(device, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().standard(place)));
  });
}
CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return with_device(device, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().current(place)));
  });
}
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle) {
  return with_device(device, [&](Core& core, Place place) { return choose(core, place, handle); });
}
CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
  return with_place(location, type, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().standard(place)));
  });
}
CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return with_place(location, type, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().current(place)));
  });
}
CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool handle) {
  return with_place(location, type,
                    [&](Core& core, Place place) { return choose(core, place, handle); });
}
CUresult cuMemPoolCreate(CUmemoryPool* made, const CUmemPoolProps* properties) {
  return call([&](Core& core) {
    if (made == nullptr || properties == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
      Core::say("cuMemPoolCreate: pools that are shared with other processes are not supported");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    const auto place = place_of(core, properties->location, properties->allocType);
    if (!place) return CUDA_ERROR_NOT_SUPPORTED;
    return answer(made, handle_of(*core.pools().create(*place, properties->maxSize)));
  });
}
CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  return call([&](Core& core) {
    return core.pools().destroy(reinterpret_cast<Pool*>(handle)) ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  return with_pool(handle, [&](Core&, Pool& pool) {
    const auto which = static_cast<PoolAttribute>(attribute);
    if (value == nullptr || attribute_bytes(which) == 0) return CUDA_ERROR_INVALID_VALUE;
    uint64_t number = 0;
    std::memcpy(&number, value, attribute_bytes(which));
    return pool.set(which, number) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void* value) {
  return with_pool(handle, [&](Core& core, Pool& pool) {
    const auto which = static_cast<PoolAttribute>(attribute);
    const auto number = pool.get(core.memory(), which);
    if (value == nullptr || !number) return CUDA_ERROR_INVALID_VALUE;
    return std::memcpy(value, &*number, attribute_bytes(which)), CUDA_SUCCESS;
  });
}
CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t) {
  return with_pool(handle, [](Core&, Pool&) { return CUDA_SUCCESS; });  // nothing is held back
}
CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc* list, size_t count) {
  return with_pool(handle, [&](Core& core, Pool&) {
    for (size_t i = 0; i < count; ++i) {
      if (!place_of(core, list[i].location, CU_MEM_ALLOCATION_TYPE_PINNED))
        return CUDA_ERROR_INVALID_DEVICE;
    }
    return CUDA_SUCCESS;
  });
}
CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool handle,
                            CUmemLocation* location) {
  return with_pool(handle, [&](Core& core, Pool&) {
    return answer(flags,
                  location != nullptr && place_of(core, *location, CU_MEM_ALLOCATION_TYPE_PINNED)
                      ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                      : CU_MEM_ACCESS_FLAGS_PROT_NONE);
  });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool handle,
                                 CUstream stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    Pool* pool = pool_of(core, handle);
    if (address == nullptr || bytes == 0 || pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
    uint64_t made = 0;
    const Error error = core.allocate(bytes, one, *pool, &made);
    *address = made;
    return as_result(error);
  });
}
}
