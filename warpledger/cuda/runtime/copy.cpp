// Copies and fills. A pointer says itself where it leads; the direction is checked against it.
#include "warpledger/cuda/runtime/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

namespace {

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool fits(Core& core, const void* pointer, bool on_device) {
  return !on_device || core.memory().is_device(number(pointer));
}

cudaError_t copy(Core& core, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                 Stream& stream) {
  if (bytes == 0) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!fits(core, to, to_device) || !fits(core, from, from_device)) {
    Core::say("a copy is told that a pointer of the host is one of the device");
    return cudaErrorInvalidValue;
  }
  return as_cuda(core.copy(number(to), number(from), bytes, stream));
}

cudaError_t copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t handle) {
  return call([&](Core& core) {
    Stream* stream = stream_of(core, handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return copy(core, to, from, bytes, kind, *stream);
  });
}

cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind, cudaStream_t handle) {
  return call([&](Core& core) {
    if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
    Stream* stream = stream_of(core, handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    for (size_t row = 0; row < height; ++row) {
      const cudaError_t error =
          copy(core, static_cast<char*>(to) + row * to_pitch,
               static_cast<const char*>(from) + row * from_pitch, width, kind, *stream);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

cudaError_t copy_box(const cudaMemcpy3DParms* box, cudaStream_t stream) {
  if (box->srcArray != nullptr || box->dstArray != nullptr) {
    Core::say("copies to and from CUDA arrays are not supported");
    return note(cudaErrorNotSupported);
  }
  const auto start = [](const cudaPitchedPtr& at, const cudaPos& pos, size_t z) {
    return static_cast<char*>(at.ptr) + (pos.z + z) * at.pitch * at.ysize + pos.y * at.pitch +
           pos.x;
  };
  for (size_t z = 0; z < box->extent.depth; ++z) {
    const cudaError_t error = copy_rows(start(box->dstPtr, box->dstPos, z), box->dstPtr.pitch,
                                        start(box->srcPtr, box->srcPos, z), box->srcPtr.pitch,
                                        box->extent.width, box->extent.height, box->kind, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill(void* to, int value, size_t bytes, cudaStream_t handle) {
  return call([&](Core& core) {
    Stream* stream = stream_of(core, handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const auto byte = static_cast<unsigned char>(value);
    if (bytes == 0) return cudaSuccess;
    if (!core.memory().is_device(number(to))) return cudaErrorInvalidValue;
    return as_cuda(core.fill(number(to), &byte, 1, bytes, *stream));
  });
}

cudaError_t copy_symbol(const void* variable, const void* from, void* to, size_t bytes,
                        size_t offset, cudaStream_t handle) {
  return call([&](Core& core) {
    Stream* stream = stream_of(core, handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    Symbol symbol;
    if (const cudaError_t error = find(core, variable, &symbol)) return error;
    if (offset > symbol.size || bytes > symbol.size - offset) return cudaErrorInvalidValue;
    const uint64_t at = number(symbol.bytes) + offset;
    return as_cuda(from != nullptr ? core.copy(at, number(from), bytes, *stream)
                                   : core.copy(number(to), at, bytes, *stream));
  });
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return copy(to, from, bytes, kind, stream);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                cudaStream_t stream) {
  return copy(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* box) { return copy_box(box, nullptr); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
  return copy_box(box, stream);
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return fill(to, value, bytes, nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return fill(to, value, bytes, stream);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error = fill(static_cast<char*>(to) + row * pitch, value, width, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  for (size_t z = 0; z < extent.depth; ++z) {
    const cudaError_t error =
        cudaMemset2DAsync(static_cast<char*>(to.ptr) + z * to.pitch * to.ysize, to.pitch, value,
                          extent.width, extent.height, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* variable, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  return copy_symbol(variable, from, nullptr, bytes, offset, stream);
}
cudaError_t cudaMemcpyToSymbol(const void* variable, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind) {
  return copy_symbol(variable, from, nullptr, bytes, offset, nullptr);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* variable, size_t bytes, size_t offset,
                                      cudaMemcpyKind, cudaStream_t stream) {
  return copy_symbol(variable, nullptr, to, bytes, offset, stream);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* variable, size_t bytes, size_t offset,
                                 cudaMemcpyKind) {
  return copy_symbol(variable, nullptr, to, bytes, offset, nullptr);
}
}
