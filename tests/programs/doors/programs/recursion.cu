// A recursive device function, with a stack of its own.
#include "check.h"

__host__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void work(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 10); }

int main() {
  int* device = nullptr;
  CHECK(cudaMalloc(&device, 32 * sizeof(int)));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  work<<<1, 32>>>(device);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(device, 32);
  bool good = true;
  for (int i = 0; i < 32; ++i) good &= got[i] == fibonacci(i % 10);
  return verdict(good);
}
