// Planted: the first reduction of every course. A modulo in the loop, and lanes of every warp idle.
#include "../programs/check.h"

__global__ void reduce(const float* input, float* output) {
  __shared__ float sum[256];
  const int tid = threadIdx.x;
  sum[tid] = input[blockIdx.x * blockDim.x + tid];
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) {  // <- here
      sum[tid] += sum[tid + s];
    }
    __syncthreads();
  }
  if (tid == 0) output[blockIdx.x] = sum[0];
}

int main() {
  std::vector<float> in(256 * 2048, 1.0f);
  float *device = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, 2048 * sizeof(float)));
  reduce<<<2048, 256>>>(device, out);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
