// Calls that take several pointers: attributes, and batched copies.
#include <cstring>

#include "interpose/driver/state.h"

using namespace warpledger::cuda;
using namespace warpledger::cuda::driver;

namespace {

/// How many bytes the attribute's value has at the caller's, by cuda.h.
size_t bytes_of(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return 8;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return 4;
    default:
      return 0;
  }
}

/// A pointer that CUDA does not know has no context, and no device: -2 (cudaInvalidDeviceId).
void write_unknown(CUpointer_attribute attribute, void* value) {
  const int no_device = attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? -2 : 0;
  std::memset(value, 0, bytes_of(attribute));
  if (no_device != 0) std::memcpy(value, &no_device, sizeof no_device);
}

bool has_attributes(size_t count, const CUmemcpyAttributes* list, const size_t* first, size_t n) {
  if (list == nullptr || first == nullptr || n == 0 || n > count || first[0] != 0) return false;
  for (size_t i = 1; i < n; ++i) {
    if (first[i] <= first[i - 1] || first[i] >= count) return false;
  }
  return true;
}

}  // namespace

extern "C" {

CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** values,
                                CUdeviceptr address) {
  if (attributes == nullptr || values == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (values[i] == nullptr || bytes_of(attributes[i]) == 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = cuPointerGetAttribute(values[i], attributes[i], address);
    if (result == CUDA_ERROR_INVALID_VALUE)
      write_unknown(attributes[i], values[i]);
    else if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

/// The copies of a batch may go in any order; here they go in the one given.
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* bytes, size_t count,
                               CUmemcpyAttributes* attributes, size_t* first, size_t kinds,
                               CUstream handle) {
  return with_stream(handle, [&](Core& core, Stream& stream) {
    const bool is_valid = to != nullptr && from != nullptr && bytes != nullptr && count != 0 &&
                          has_attributes(count, attributes, first, kinds);
    if (!is_valid || stream.capture != nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; ++i) {
      const Error error = core.copy(to[i], from[i], bytes[i], stream);
      if (error != Error::kNone) return as_result(error);
    }
    return CUDA_SUCCESS;
  });
}
}
