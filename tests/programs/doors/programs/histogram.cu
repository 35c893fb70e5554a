// 256 bins: shared atomics for each block, then global ones.
#include "check.h"

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], local[i]);
}

int main() {
  const int n = 40000;
  std::vector<unsigned char> data(n);
  std::vector<unsigned> expected(256, 0);
  for (int i = 0; i < n; ++i) ++expected[data[i] = static_cast<unsigned char>(any_float(i) * 256)];
  unsigned char* device = to_device(data);
  unsigned* bins = nullptr;
  CHECK(cudaMalloc(&bins, 256 * sizeof(unsigned)));
  CHECK(cudaMemset(bins, 0, 256 * sizeof(unsigned)));
  histogram<<<16, 256>>>(device, n, bins);
  CHECK(cudaDeviceSynchronize());
  return verdict(to_host(bins, 256) == expected);
}
