// Memory pools. A handle is the core's Pool.
#include <cstring>
#include <optional>

#include "interpose/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

Pool* pool_of(Core& core, cudaMemPool_t handle) {
  auto* pool = reinterpret_cast<Pool*>(handle);
  return core.pools().knows(pool) ? pool : nullptr;
}
cudaMemPool_t handle_of(Pool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

/// Likewise with the pool (Core&, Pool& -> cudaError_t).
template <class Body>
cudaError_t with_pool(cudaMemPool_t handle, Body body) {
  return call([&](Core& core) {
    Pool* pool = pool_of(core, handle);
    return pool == nullptr ? cudaErrorInvalidValue : body(core, *pool);
  });
}

std::optional<Place> place_of(Core& core, const cudaMemLocation& location,
                              cudaMemAllocationType type) {
  return place_of(core.devices(), location.type, location.id, type);
}

/// Calls with the place's pools (Core&, Place -> cudaError_t).
template <class Body>
cudaError_t with_place(const cudaMemLocation* location, cudaMemAllocationType type, Body body) {
  return call([&](Core& core) {
    if (location == nullptr) return cudaErrorInvalidValue;
    const auto place = place_of(core, *location, type);
    return place ? body(core, *place) : cudaErrorNotSupported;
  });
}

/// Likewise with those of a device's own memory.
template <class Body>
cudaError_t with_device(int device, Body body) {
  return call([&](Core& core) {
    if (!core.devices().has(device)) return cudaErrorInvalidDevice;
    return body(core, Place{MemoryKind::kDevice, device});
  });
}

cudaError_t choose(Core& core, Place place, cudaMemPool_t handle) {
  Pool* pool = pool_of(core, handle);
  if (pool == nullptr) return cudaErrorInvalidValue;
  return core.pools().make_current(place, *pool), cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return with_device(device, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().standard(place)));
  });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return with_device(device, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().current(place)));
  });
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle) {
  return with_device(device, [&](Core& core, Place place) { return choose(core, place, handle); });
}
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return with_place(location, type, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().standard(place)));
  });
}
cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
  return with_place(location, type, [&](Core& core, Place place) {
    return answer(pool, handle_of(core.pools().current(place)));
  });
}
cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type,
                              cudaMemPool_t handle) {
  return with_place(location, type,
                    [&](Core& core, Place place) { return choose(core, place, handle); });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* made, const cudaMemPoolProps* properties) {
  return call([&](Core& core) {
    if (made == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    if (properties->handleTypes != cudaMemHandleTypeNone) {
      Core::say("cudaMemPoolCreate: pools that are shared with other processes are not supported");
      return cudaErrorNotSupported;
    }
    const auto place = place_of(core, properties->location, properties->allocType);
    if (!place) return cudaErrorNotSupported;
    return answer(made, handle_of(*core.pools().create(*place, properties->maxSize)));
  });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return call([&](Core& core) {
    return core.pools().destroy(reinterpret_cast<Pool*>(handle)) ? cudaSuccess
                                                                 : cudaErrorInvalidValue;
  });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, [&](Core&, Pool& pool) {
    const auto which = static_cast<PoolAttribute>(attribute);
    if (value == nullptr || attribute_bytes(which) == 0) return cudaErrorInvalidValue;
    uint64_t number = 0;
    std::memcpy(&number, value, attribute_bytes(which));
    return pool.set(which, number) ? cudaSuccess : cudaErrorInvalidValue;
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return with_pool(handle, [&](Core& core, Pool& pool) {
    const auto which = static_cast<PoolAttribute>(attribute);
    const auto number = pool.get(core.memory(), which);
    if (value == nullptr || !number) return cudaErrorInvalidValue;
    return std::memcpy(value, &*number, attribute_bytes(which)), cudaSuccess;
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t) {
  return with_pool(handle, [](Core&, Pool&) { return cudaSuccess; });  // nothing is held back
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* list,
                                 size_t count) {
  return with_pool(handle, [&](Core& core, Pool&) {
    for (size_t i = 0; i < count; ++i) {
      if (!place_of(core, list[i].location, cudaMemAllocationTypePinned))
        return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle,
                                 cudaMemLocation* location) {
  return with_pool(handle, [&](Core& core, Pool&) {
    return answer(flags,
                  location != nullptr && place_of(core, *location, cudaMemAllocationTypePinned)
                      ? cudaMemAccessFlagsProtReadWrite
                      : cudaMemAccessFlagsProtNone);
  });
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t handle,
                                    cudaStream_t stream) {
  return with_stream(stream, [&](Core& core, Stream& one) {
    Pool* pool = pool_of(core, handle);
    if (pointer == nullptr || pool == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    uint64_t address = 0;
    const Error error = core.allocate(bytes, one, *pool, &address);
    *pointer = reinterpret_cast<void*>(address);
    return as_cuda(error);
  });
}
}
