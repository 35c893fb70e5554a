// Planted: every lane of a warp stores to the same bank.
#include "../programs/check.h"

__global__ void columns(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];  // <- here
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x];
}

int main() {
  std::vector<float> in(1024, 1.0f);
  float *device = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, 4096));
  columns<<<1, dim3(32, 32)>>>(device, out);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
