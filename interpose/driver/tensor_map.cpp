// Tensor maps: NVIDIA's 128 bytes are opaque, and ours are encoded and decoded by exec/ alone.
#include "interpose/tensor_map.h"

#include <cstring>
#include <optional>

#include "interpose/driver/state.h"

using namespace warpledger;
using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

static_assert(sizeof(CUtensorMap) == exec::kTensorMapBytes);

std::optional<SharedMode> mode_of(CUtensorMapSwizzle swizzle) {
  switch (swizzle) {
    case CU_TENSOR_MAP_SWIZZLE_NONE:
      return SharedMode::kNone;
    case CU_TENSOR_MAP_SWIZZLE_32B:
      return SharedMode::k32;
    case CU_TENSOR_MAP_SWIZZLE_64B:
      return SharedMode::k64;
    case CU_TENSOR_MAP_SWIZZLE_128B:
      return SharedMode::k128;
    case CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B:
      return SharedMode::k128Atom32;
    default:
      return {};
  }
}

CUresult put(const Result<exec::TensorMapBytes>& bytes, CUtensorMap* map) {
  if (!bytes) {
    Core::say(bytes.error());
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(map, bytes->data(), bytes->size());
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* size, const cuuint64_t* stride,
                                const cuuint32_t* box, const cuuint32_t* element_stride,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill) {
  if (map == nullptr || size == nullptr || box == nullptr || rank == 0 ||
      rank > exec::kMostDimensions || (rank > 1 && stride == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  const auto mode = mode_of(swizzle);
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE || !mode ||
      static_cast<int>(type) > static_cast<int>(exec::kLastTensorElement)) {
    Core::say("tensor maps with interleaved layouts or other swizzles are not supported yet");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  exec::TensorMap made{.element = static_cast<exec::TensorElement>(type),
                       .rank = rank,
                       .address = reinterpret_cast<uint64_t>(address),
                       .swizzle = *mode,
                       .fills_nan = fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE};
  for (cuuint32_t d = 0; d < rank; ++d) {
    made.size[d] = size[d];
    made.box[d] = box[d];
    if (element_stride != nullptr) made.element_stride[d] = element_stride[d];
    if (d + 1 < rank) made.stride[d] = stride[d];
  }
  return put(encode_tensor_map(made), map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  if (map == nullptr) return CUDA_ERROR_INVALID_VALUE;
  exec::TensorMapBytes bytes;
  std::memcpy(bytes.data(), map, bytes.size());
  return put(move_tensor_map(bytes, reinterpret_cast<uint64_t>(address)), map);
}
}
