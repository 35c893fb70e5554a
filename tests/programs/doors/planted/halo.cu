// Planted: rows are read from one element beside a sector's boundary. There is nothing to swap.
#include "../programs/check.h"

__global__ void blur(const float* in, float* out, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || j < 1 || i >= n - 1 || j >= n - 1) return;
  out[i * n + j] = 0.25f * (in[(i - 1) * n + j] + in[(i + 1) * n + j] + in[i * n + j - 1] + in[i * n + j + 1]);
}

int main() {
  const int n = 1024;
  float *in = nullptr, *out = nullptr;
  CHECK(cudaMalloc(&in, n * n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * n * sizeof(float)));
  CHECK(cudaMemset(in, 0, n * n * sizeof(float)));
  blur<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
