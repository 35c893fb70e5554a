// A sum with warp shuffles and one atomic a block.
#include "check.h"

__inline__ __device__ float warp_sum(float value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  return value;
}

__global__ void sum(const float* in, float* out, int n) {
  __shared__ float warps[32];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += in[i];
  mine = warp_sum(mine);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
    mine = warp_sum(mine);
    if (threadIdx.x == 0) atomicAdd(out, mine);
  }
}

int main() {
  const int n = 60000;
  std::vector<float> in(n);
  double expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = any_float(i);
  float *device = to_device(in), *total = to_device(std::vector<float>(1, 0.0f));
  sum<<<40, 256>>>(device, total, n);
  CHECK(cudaDeviceSynchronize());
  return verdict(close(to_host(total, 1)[0], expected));
}
