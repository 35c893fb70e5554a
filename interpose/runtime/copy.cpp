// Copies and fills. A pointer's address shows its side; the direction is checked against it.
#include "interpose/runtime/array.h"
#include "interpose/runtime/graph.h"

namespace warpledger::cuda::runtime {
namespace {

uint64_t number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool is_device(Core& core, const void* pointer) {
  return core.memory().is_device(number(pointer)) || core.memory().is_reserved(number(pointer));
}

cudaError_t check_direction(Core& core, const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if ((!to_device || is_device(core, to)) && (!from_device || is_device(core, from)))
    return cudaSuccess;
  Core::say("a copy was given a host pointer as a device pointer");
  return cudaErrorInvalidValue;
}

bool is_empty(const Work& work) {
  const auto& copy = std::get<CopyWork>(work);
  return copy.width == 0 || copy.height == 0 || copy.depth == 0;
}

/// Work that `make` makes, on a stream.
template <class Make>
cudaError_t run(cudaStream_t handle, Make make) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    Work work;
    if (const cudaError_t error = make(core, &work)) return error;
    return as_cuda(core.submit(stream, std::move(work)));
  });
}

/// Likewise at once: no part of a capture, and the host waits.
template <class Make>
cudaError_t run_now(Make make) {
  const cudaError_t allowed = call([](Core& core) {
    const Error implicit = core.captures().check_legacy();
    return as_cuda(implicit != Error::kNone ? implicit : core.captures().check_unsafe());
  });
  if (allowed != cudaSuccess) return allowed;
  const cudaError_t done = run(nullptr, make);
  return done != cudaSuccess ? done : cudaStreamSynchronize(nullptr);
}

}  // namespace

cudaError_t make_copy_2d(Core& core, void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind, Work* work) {
  CopyWork copy{.to = number(to),
                .from = number(from),
                .width = width,
                .height = height,
                .to_pitch = to_pitch,
                .from_pitch = from_pitch,
                .kind = kind};
  *work = copy;
  if (height > 1 && (width > to_pitch || width > from_pitch)) return cudaErrorInvalidPitchValue;
  return is_empty(*work) ? cudaSuccess : check_direction(core, to, from, kind);
}

cudaError_t make_copy(Core& core, void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                      Work* work) {
  return make_copy_2d(core, to, bytes, from, bytes, bytes, 1, kind, work);
}

cudaError_t make_copy_3d(Core& core, const cudaMemcpy3DParms* box, Work* work) {
  if (box == nullptr) return cudaErrorInvalidValue;
  if (box->srcArray != nullptr || box->dstArray != nullptr)
    return make_array_copy(core, *box, work);
  const auto start = [](const cudaPitchedPtr& at, const cudaPos& pos) {
    return static_cast<char*>(at.ptr) + pos.z * at.pitch * at.ysize + pos.y * at.pitch + pos.x;
  };
  const cudaError_t error = make_copy_2d(core, start(box->dstPtr, box->dstPos), box->dstPtr.pitch,
                                         start(box->srcPtr, box->srcPos), box->srcPtr.pitch,
                                         box->extent.width, box->extent.height, box->kind, work);
  auto& copy = std::get<CopyWork>(*work);
  copy.depth = box->extent.depth;
  copy.to_slice = box->dstPtr.pitch * box->dstPtr.ysize;
  copy.from_slice = box->srcPtr.pitch * box->srcPtr.ysize;
  return is_empty(*work) ? cudaSuccess : error;
}

// One of `from` and `to` is the program's; the other is the variable.
cudaError_t make_symbol_copy(Core& core, const void* variable, size_t offset, const void* from,
                             void* to, size_t bytes, Work* work) {
  Symbol symbol;
  if (const cudaError_t error = find(core, variable, &symbol)) return error;
  if (offset > symbol.size || bytes > symbol.size - offset) return cudaErrorInvalidValue;
  const uint64_t at = number(symbol.bytes) + offset;
  *work = CopyWork{.to = to != nullptr ? number(to) : at,
                   .from = from != nullptr ? number(from) : at,
                   .width = bytes};
  return bytes != 0 && from == nullptr && to == nullptr ? cudaErrorInvalidValue : cudaSuccess;
}

namespace {

auto copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return [=](Core& core, Work* work) { return make_copy(core, to, from, bytes, kind, work); };
}
auto copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
          size_t height, cudaMemcpyKind kind) {
  return [=](Core& core, Work* work) {
    return make_copy_2d(core, to, to_pitch, from, from_pitch, width, height, kind, work);
  };
}
auto copy(const cudaMemcpy3DParms* box) {
  return [=](Core& core, Work* work) { return make_copy_3d(core, box, work); };
}
auto copy_symbol(const void* variable, size_t offset, const void* from, void* to, size_t bytes) {
  return [=](Core& core, Work* work) {
    return make_symbol_copy(core, variable, offset, from, to, bytes, work);
  };
}
auto fill(void* to, size_t pitch, int value, size_t width, size_t height) {
  return [=](Core& core, Work* work) {
    if (width != 0 && height != 0 && !is_device(core, to)) return cudaErrorInvalidValue;
    *work = FillWork{.to = number(to),
                     .value = static_cast<uint32_t>(value) & 0xff,
                     .width = width,
                     .height = height,
                     .pitch = pitch};
    return height > 1 && width > pitch ? cudaErrorInvalidPitchValue : cudaSuccess;
  };
}
// The slices of a box follow each other, so its rows do too where it is as high as its memory.
cudaError_t fill_box(const cudaPitchedPtr& to, int value, const cudaExtent& box,
                     const auto& submit) {
  for (size_t z = 0; z < box.depth; ++z) {
    auto* slice = static_cast<char*>(to.ptr) + z * to.pitch * to.ysize;
    const cudaError_t error = submit(fill(slice, to.pitch, value, box.width, box.height));
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace
}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return run_now(copy(to, from, bytes, kind));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return run(stream, copy(to, from, bytes, kind));
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return run_now(copy(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return run(stream, copy(to, to_pitch, from, from_pitch, width, height, kind));
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* box) { return run_now(copy(box)); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
  return run(stream, copy(box));
}

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  return run(nullptr, fill(to, bytes, value, bytes, 1));
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  return run(stream, fill(to, bytes, value, bytes, 1));
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return run(stream, fill(to, pitch, value, width, height));
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return run(nullptr, fill(to, pitch, value, width, height));
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return fill_box(to, value, extent, [&](const auto& make) { return run(stream, make); });
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* variable, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  return run(stream, copy_symbol(variable, offset, from, nullptr, bytes));
}
cudaError_t cudaMemcpyToSymbol(const void* variable, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind) {
  return run_now(copy_symbol(variable, offset, from, nullptr, bytes));
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* variable, size_t bytes, size_t offset,
                                      cudaMemcpyKind, cudaStream_t stream) {
  return run(stream, copy_symbol(variable, offset, nullptr, to, bytes));
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* variable, size_t bytes, size_t offset,
                                 cudaMemcpyKind) {
  return run_now(copy_symbol(variable, offset, nullptr, to, bytes));
}
}
