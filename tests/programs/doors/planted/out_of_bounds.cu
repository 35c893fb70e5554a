// Planted: the last block writes past the end.
#include "../programs/check.h"

__global__ void fill(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) data[i] = 1.0f;  // <- here: < was meant
}

int main() {
  const int n = 1000;
  float* data = nullptr;
  CHECK(cudaMalloc(&data, n * sizeof(float)));
  fill<<<(n + 255) / 256, 256>>>(data, n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
