// Planted: a sum is loaded and stored in every iteration.
#include "../programs/check.h"

__global__ void columns(const float* A, const float* y, float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < n; ++j) x[i] += A[j * n + i] * y[j];  // <- here
}

int main() {
  const int n = 512;
  float* buffers[3];
  for (float*& buffer : buffers) {
    CHECK(cudaMalloc(&buffer, n * n * sizeof(float)));
    CHECK(cudaMemset(buffer, 0, n * n * sizeof(float)));
  }
  columns<<<n / 128, 128>>>(buffers[0], buffers[1], buffers[2], n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
