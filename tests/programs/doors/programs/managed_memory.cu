// Managed memory and a managed variable: the same pointer on both sides.
#include "check.h"

__managed__ int total = 5;

__global__ void work(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    data[i] = data[i] * 2 + 1;
    atomicAdd(&total, data[i]);
  }
}

int main() {
  const int n = 1000;
  int* data = nullptr;
  CHECK(cudaMallocManaged(&data, n * sizeof(int)));
  int expected = total;
  for (int i = 0; i < n; ++i) data[i] = i, expected += 2 * i + 1;
  work<<<(n + 255) / 256, 256>>>(data, n);
  CHECK(cudaDeviceSynchronize());
  bool good = total == expected;
  for (int i = 0; i < n; ++i) good &= data[i] == 2 * i + 1;
  CHECK(cudaFree(data));
  return verdict(good);
}
