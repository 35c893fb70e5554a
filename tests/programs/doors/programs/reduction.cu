// A sum in shared memory, a partial result a block, finished by a second launch.
#include "check.h"

__global__ void sum(const float* in, float* out, int n) {
  __shared__ float part[256];
  const int tid = threadIdx.x;
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) mine += in[i];
  part[tid] = mine;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (tid < step) part[tid] += part[tid + step];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = part[0];
}

int main() {
  const int n = 100000, blocks = 64;
  std::vector<float> in(n);
  double expected = 0;
  for (int i = 0; i < n; ++i) expected += in[i] = any_float(i);
  float *device = to_device(in), *parts = nullptr, *total = nullptr;
  CHECK(cudaMalloc(&parts, blocks * sizeof(float)));
  CHECK(cudaMalloc(&total, sizeof(float)));
  sum<<<blocks, 256>>>(device, parts, n);
  sum<<<1, 256>>>(parts, total, blocks);
  CHECK(cudaDeviceSynchronize());
  return verdict(close(to_host(total, 1)[0], expected));
}
