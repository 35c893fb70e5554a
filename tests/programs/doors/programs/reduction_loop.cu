// A reduction and the reduction of its blocks, a hundred times: the loop of a benchmark.
#include "check.h"

__global__ void sum(const float* in, float* out, int n) {
  __shared__ float part[256];
  float mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    mine += in[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

int main() {
  const int n = 1 << 16, blocks = 64;
  std::vector<float> values(n);
  double expected = 0;
  for (int i = 0; i < n; ++i) expected += values[i] = any_float(i);
  const float* in = to_device(values);
  float* out = to_device(std::vector<float>(blocks, 0));
  for (int turn = 0; turn < 100; ++turn) {
    sum<<<blocks, 256>>>(in, out, n);
    sum<<<1, 256>>>(out, out, blocks);
  }
  const bool good = close(to_host(out, 1)[0], expected);
  CHECK(cudaDeviceSynchronize());
  return verdict(good);
}
