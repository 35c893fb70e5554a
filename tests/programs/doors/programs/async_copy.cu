// cp.async: the next tile is on its way while this one is used.
#include <cuda_pipeline.h>

#include "check.h"

__global__ void smooth(const float* in, float* out, int tiles) {
  __shared__ float buffer[2][128];
  const float* mine = in + blockIdx.x * tiles * 128;
  __pipeline_memcpy_async(&buffer[0][threadIdx.x], mine + threadIdx.x, sizeof(float));
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      __pipeline_memcpy_async(&buffer[(t + 1) & 1][threadIdx.x], mine + (t + 1) * 128 + threadIdx.x,
                              sizeof(float));
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    const float left = buffer[t & 1][(threadIdx.x + 127) % 128],
                right = buffer[t & 1][(threadIdx.x + 1) % 128];
    out[(blockIdx.x * tiles + t) * 128 + threadIdx.x] = 0.5f * (left + right);
    __syncthreads();
  }
}

int main() {
  const int blocks = 8, tiles = 6, n = blocks * tiles * 128;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = any_float(i);
  float *device = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  smooth<<<blocks, 128>>>(device, out, tiles);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(out, n);
  bool good = true;
  for (int i = 0; i < n; ++i) {
    const int tile = i / 128 * 128, at = i % 128;
    good &= got[i] == 0.5f * (in[tile + (at + 127) % 128] + in[tile + (at + 1) % 128]);
  }
  return verdict(good);
}
