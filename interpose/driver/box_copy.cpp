// Copies of boxes, and to and from arrays.
#include <algorithm>

#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

struct End {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, pitch, height;
};

struct Placed {
  uint64_t address = 0, pitch = 0, slice = 0;
};

std::optional<Placed> place(Core& core, const End& end, const CUDA_MEMCPY3D& box) {
  if (end.type == CU_MEMORYTYPE_ARRAY) {
    const Array* array = core.arrays().find(end.array);
    if (array == nullptr) return {};
    const auto at = Arrays::box_of(*array, end.x, end.y, end.z, box.WidthInBytes, box.Height,
                                   std::max<size_t>(box.Depth, 1));
    return at ? std::optional(Placed{at->start, at->pitch, at->slice}) : std::nullopt;
  }
  const bool is_host = end.type == CU_MEMORYTYPE_HOST;
  const uint64_t base = is_host ? reinterpret_cast<uint64_t>(end.host) : end.device;
  const uint64_t pitch = end.pitch != 0 ? end.pitch : box.WidthInBytes;
  const uint64_t slice = pitch * (end.height != 0 ? end.height : box.Height);
  if (pitch < box.WidthInBytes) return {};
  return Placed{base + end.z * slice + end.y * pitch + end.x, pitch, slice};
}

CUresult copy(const CUDA_MEMCPY3D* asked, CUstream handle) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D& box = *asked;
    if (box.WidthInBytes == 0 || box.Height == 0 || box.Depth == 0) return CUDA_SUCCESS;
    const auto to = place(core,
                          {box.dstMemoryType, box.dstHost, box.dstDevice, box.dstArray,
                           box.dstXInBytes, box.dstY, box.dstZ, box.dstPitch, box.dstHeight},
                          box);
    const auto from = place(core,
                            {box.srcMemoryType, box.srcHost, box.srcDevice, box.srcArray,
                             box.srcXInBytes, box.srcY, box.srcZ, box.srcPitch, box.srcHeight},
                            box);
    if (!to || !from) return CUDA_ERROR_INVALID_VALUE;
    return as_result(core.submit(stream, CopyWork{.to = to->address,
                                                  .from = from->address,
                                                  .width = box.WidthInBytes,
                                                  .height = box.Height,
                                                  .depth = box.Depth,
                                                  .to_pitch = to->pitch,
                                                  .from_pitch = from->pitch,
                                                  .to_slice = to->slice,
                                                  .from_slice = from->slice}));
  });
}
CUresult copy_now(const CUDA_MEMCPY3D* box) {
  const CUresult done = copy(box, nullptr);
  return done != CUDA_SUCCESS ? done : cuStreamSynchronize(nullptr);
}

CUDA_MEMCPY3D as_box(const CUDA_MEMCPY2D& flat) {
  CUDA_MEMCPY3D box = {};
  box.srcXInBytes = flat.srcXInBytes, box.srcY = flat.srcY;
  box.srcMemoryType = flat.srcMemoryType, box.srcHost = flat.srcHost;
  box.srcDevice = flat.srcDevice, box.srcArray = flat.srcArray, box.srcPitch = flat.srcPitch;
  box.dstXInBytes = flat.dstXInBytes, box.dstY = flat.dstY;
  box.dstMemoryType = flat.dstMemoryType, box.dstHost = flat.dstHost;
  box.dstDevice = flat.dstDevice, box.dstArray = flat.dstArray, box.dstPitch = flat.dstPitch;
  box.WidthInBytes = flat.WidthInBytes, box.Height = flat.Height, box.Depth = 1;
  return box;
}

/// A row of an array, at a place in bytes.
CUDA_MEMCPY3D row(size_t bytes) {
  CUDA_MEMCPY3D box = {};
  box.WidthInBytes = bytes, box.Height = box.Depth = 1;
  return box;
}
CUDA_MEMCPY3D to_array(CUarray array, size_t at, size_t bytes) {
  CUDA_MEMCPY3D box = row(bytes);
  box.dstMemoryType = CU_MEMORYTYPE_ARRAY, box.dstArray = array, box.dstXInBytes = at;
  return box;
}
CUDA_MEMCPY3D from_array(CUarray array, size_t at, size_t bytes) {
  CUDA_MEMCPY3D box = row(bytes);
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY, box.srcArray = array, box.srcXInBytes = at;
  return box;
}

}  // namespace

extern "C" {

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* box) { return copy_now(box); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* box, CUstream stream) { return copy(box, stream); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* flat, CUstream stream) {
  if (flat == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D box = as_box(*flat);
  return copy(&box, stream);
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* flat) {
  if (flat == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_MEMCPY3D box = as_box(*flat);
  return copy_now(&box);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* flat) { return cuMemcpy2D_v2(flat); }
CUresult cuMemcpyHtoA_v2(CUarray array, size_t at, const void* from, size_t bytes) {
  CUDA_MEMCPY3D box = to_array(array, at, bytes);
  box.srcMemoryType = CU_MEMORYTYPE_HOST, box.srcHost = from;
  return copy_now(&box);
}
CUresult cuMemcpyDtoA_v2(CUarray array, size_t at, CUdeviceptr from, size_t bytes) {
  CUDA_MEMCPY3D box = to_array(array, at, bytes);
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE, box.srcDevice = from;
  return copy_now(&box);
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray array, size_t at, size_t bytes) {
  CUDA_MEMCPY3D box = from_array(array, at, bytes);
  box.dstMemoryType = CU_MEMORYTYPE_HOST, box.dstHost = to;
  return copy_now(&box);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray array, size_t at, size_t bytes) {
  CUDA_MEMCPY3D box = from_array(array, at, bytes);
  box.dstMemoryType = CU_MEMORYTYPE_DEVICE, box.dstDevice = to;
  return copy_now(&box);
}
}
