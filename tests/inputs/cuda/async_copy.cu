// cp.async through the pipeline primitives, and its groups.
#include <cuda_pipeline_primitives.h>

extern "C" __global__ void staged_copy(const float4* in, float4* out, int tiles) {
  __shared__ float4 stage[2][128];
  __pipeline_memcpy_async(&stage[0][threadIdx.x], in + threadIdx.x, 16);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      __pipeline_memcpy_async(&stage[(t + 1) % 2][threadIdx.x], in + (t + 1) * 128 + threadIdx.x, 16,
                              threadIdx.x % 2 * 8);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 x = stage[t % 2][threadIdx.x ^ 1];
    out[t * 128 + threadIdx.x] = x;
    __syncthreads();
  }
}
