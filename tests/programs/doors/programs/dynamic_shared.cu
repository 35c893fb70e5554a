// More shared memory than 48 KiB, which a program has to ask for.
#include "check.h"

__global__ void reverse(const int* in, int* out, int n) {
  extern __shared__ int data[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = in[blockIdx.x * n + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = data[n - 1 - i];
}

int main() {
  const int n = 16384, blocks = 2;
  const size_t bytes = n * sizeof(int);
  std::vector<int> in(blocks * n);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 7);
  int *device = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, in.size() * sizeof(int)));
  reverse<<<blocks, 256, bytes>>>(device, out, n);
  const bool refused = cudaGetLastError() != cudaSuccess;
  CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)));
  reverse<<<blocks, 256, bytes>>>(device, out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(out, in.size());
  bool good = refused;
  for (int b = 0; b < blocks; ++b)
    for (int i = 0; i < n; ++i) good &= got[b * n + i] == in[b * n + n - 1 - i];
  return verdict(good);
}
