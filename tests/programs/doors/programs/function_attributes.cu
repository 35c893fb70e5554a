// nvcc: -lcuda
// An attribute that the driver does not know is refused, and shared memory beyond 48 KB works: as
// Triton asks for it, a newer attribute first.
#include <cuda.h>

#include "check.h"

__global__ void last_of_many(int* out, int count) {
  extern __shared__ int values[];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
    values[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = values[count - 1];
}

int main() {
  constexpr int kCount = 16 * 1024;
  constexpr int kBytes = kCount * static_cast<int>(sizeof(int));
  int* device = to_device(std::vector<int>(1));
  CUfunction function;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(last_of_many)));
  const auto unknown = static_cast<CUfunction_attribute>(CU_FUNC_ATTRIBUTE_MAX);
  const bool refused = cuFuncSetAttribute(function, unknown, 1) == CUDA_ERROR_INVALID_VALUE;
  const auto most = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  const bool taken = cuFuncSetAttribute(function, most, kBytes) == CUDA_SUCCESS;
  last_of_many<<<1, 128, kBytes>>>(device, kCount);
  CHECK(cudaGetLastError());
  return verdict(refused && taken && to_host(device, 1)[0] == kCount - 1);
}
