// Copies to, from and between arrays.
#include "interpose/runtime/array.h"
#include "interpose/runtime/graph.h"

namespace warpledger::cuda::runtime {
namespace {

/// Where bytes come from or go to: a texel of an array, or memory with a pitch.
struct End {
  Array* array = nullptr;
  uint64_t x_bytes = 0, y = 0, z = 0;
  uint64_t address = 0, pitch = 0, slice = 0;
};

struct Size {
  uint64_t width_bytes = 0, height = 1, depth = 1;
};

End at_memory(const void* pointer, size_t pitch) {
  return {.address = reinterpret_cast<uint64_t>(pointer), .pitch = pitch};
}
End at_array(Core& core, const void* handle, size_t x_bytes, size_t y) {
  return {.array = array_of(core, handle), .x_bytes = x_bytes, .y = y};
}

/// False where the box reaches out of the array.
bool place(End& end, const Size& size) {
  if (end.array == nullptr) return true;
  const auto box = Arrays::box_of(*end.array, end.x_bytes, end.y, end.z, size.width_bytes,
                                  size.height, size.depth);
  if (!box) return false;
  end.address = box->start, end.pitch = box->pitch, end.slice = box->slice;
  return true;
}

cudaError_t make(End to, End from, const Size& size, Work* work) {
  if (!place(to, size) || !place(from, size)) {
    Core::say("a copy reaches out of a CUDA array");
    return cudaErrorInvalidValue;
  }
  const bool is_one_row = size.height <= 1;
  if (!is_one_row && (to.pitch < size.width_bytes || from.pitch < size.width_bytes))
    return cudaErrorInvalidPitchValue;
  *work = CopyWork{.to = to.address,
                   .from = from.address,
                   .width = size.width_bytes,
                   .height = size.height,
                   .depth = size.depth,
                   .to_pitch = to.pitch,
                   .from_pitch = from.pitch,
                   .to_slice = to.slice,
                   .from_slice = from.slice};
  return cudaSuccess;
}

template <class Ends>
cudaError_t run(cudaStream_t handle, const Size& size, Ends ends) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    End to, from;
    if (!ends(core, to, from)) return cudaErrorInvalidResourceHandle;
    if (size.width_bytes == 0 || size.height == 0 || size.depth == 0) return cudaSuccess;
    Work work;
    if (const cudaError_t error = make(to, from, size, &work)) return error;
    return as_cuda(core.submit(stream, std::move(work)));
  });
}

template <class Ends>
cudaError_t run_now(const Size& size, Ends ends) {
  const cudaError_t done = run(nullptr, size, ends);
  return done != cudaSuccess ? done : cudaStreamSynchronize(nullptr);
}

auto to_array(cudaArray_t array, size_t x, size_t y, const void* from, size_t pitch) {
  return [=](Core& core, End& target, End& source) {
    target = at_array(core, array, x, y);
    source = at_memory(from, pitch);
    return target.array != nullptr;
  };
}
auto from_array(void* to, size_t pitch, cudaArray_const_t array, size_t x, size_t y) {
  return [=](Core& core, End& target, End& source) {
    target = at_memory(to, pitch);
    source = at_array(core, array, x, y);
    return source.array != nullptr;
  };
}

/// Linear copies begin anywhere and fill row after row: whole rows, or a part of one.
Size rows_of(cudaArray_const_t handle, size_t bytes) {
  Core& core = Core::get();
  const std::lock_guard lock(core.lock());
  const Array* array = array_of(core, handle);
  const uint64_t row = array == nullptr ? 0 : array->texels.base.pitch;
  if (row == 0 || bytes <= row) return {bytes, 1};
  return bytes % row == 0 ? Size{row, bytes / row} : Size{bytes, 1};  // the latter is refused
}

End end_of(Core& core, cudaArray_t array, const cudaPos& at, const cudaPitchedPtr& memory,
           uint64_t texel) {
  if (array != nullptr) {
    End end = at_array(core, array, at.x * texel, at.y);
    end.z = at.z;
    return end;
  }
  End end = at_memory(static_cast<const char*>(memory.ptr) + at.z * memory.pitch * memory.ysize +
                          at.y * memory.pitch + at.x,
                      memory.pitch);
  end.slice = memory.pitch * memory.ysize;
  return end;
}

}  // namespace

cudaError_t make_array_copy(Core& core, const cudaMemcpy3DParms& box, Work* work) {
  const Array* one = array_of(core, box.srcArray != nullptr ? box.srcArray : box.dstArray);
  if (one == nullptr) return cudaErrorInvalidResourceHandle;
  // With an array in it, the extent counts texels; positions in memory count bytes.
  const uint64_t texel = one->texels.format.bytes();
  const End to = end_of(core, box.dstArray, box.dstPos, box.dstPtr, texel);
  const End from = end_of(core, box.srcArray, box.srcPos, box.srcPtr, texel);
  if ((box.dstArray != nullptr && to.array == nullptr) ||
      (box.srcArray != nullptr && from.array == nullptr))
    return cudaErrorInvalidResourceHandle;
  return make(to, from,
              {box.extent.width * texel, std::max<size_t>(box.extent.height, 1),
               std::max<size_t>(box.extent.depth, 1)},
              work);
}

}  // namespace warpledger::cuda::runtime

using namespace warpledger::cuda;
using namespace warpledger::cuda::runtime;

extern "C" {

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind,
                                     cudaStream_t stream) {
  return run(stream, {width, height}, to_array(array, x, y, from, pitch));
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void* from,
                                size_t pitch, size_t width, size_t height, cudaMemcpyKind) {
  return run_now({width, height}, to_array(array, x, y, from, pitch));
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t array, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind,
                                       cudaStream_t stream) {
  return run(stream, {width, height}, from_array(to, pitch, array, x, y));
}
cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t array, size_t x,
                                  size_t y, size_t width, size_t height, cudaMemcpyKind) {
  return run_now({width, height}, from_array(to, pitch, array, x, y));
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, cudaMemcpyKind) {
  return run_now({width, height}, [=](Core& core, End& target, End& source) {
    target = at_array(core, to, to_x, to_y);
    source = at_array(core, from, x, y);
    return target.array != nullptr && source.array != nullptr;
  });
}
cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind) {
  const Size size = rows_of(array, bytes);
  return run_now(size, to_array(array, x, y, from, size.width_bytes));
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t array, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  const Size size = rows_of(array, bytes);
  return run(stream, size, to_array(array, x, y, from, size.width_bytes));
}
cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t array, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind) {
  const Size size = rows_of(array, bytes);
  return run_now(size, from_array(to, size.width_bytes, array, x, y));
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t array, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  const Size size = rows_of(array, bytes);
  return run(stream, size, from_array(to, size.width_bytes, array, x, y));
}
}
