// Planted: neighboring lanes read rows that lie 4 KB apart.
#include "../programs/check.h"

__global__ void sum_rows(const float* matrix, float* sums, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += matrix[row * n + i];  // <- here
  sums[row] = sum;
}

int main() {
  const int n = 1024;
  float *matrix = nullptr, *sums = nullptr;
  CHECK(cudaMalloc(&matrix, n * n * sizeof(float)));
  CHECK(cudaMalloc(&sums, n * sizeof(float)));
  CHECK(cudaMemset(matrix, 0, n * n * sizeof(float)));
  sum_rows<<<n / 128, 128>>>(matrix, sums, n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
