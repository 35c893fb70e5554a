// A polynomial whose coefficients are in constant memory, copied there and back.
#include "check.h"

__constant__ float coefficients[8];

__global__ void evaluate(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = 7; k >= 0; --k) sum = sum * x[i] + coefficients[k];
  y[i] = sum;
}

int main() {
  const int n = 1000;
  float c[8], back[8];
  for (int k = 0; k < 8; ++k) c[k] = any_float(k) - 0.5f;
  CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  CHECK(cudaMemcpyFromSymbol(back, coefficients, sizeof back));
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = any_float(i + 50);
  float *dx = to_device(x), *dy = nullptr;
  CHECK(cudaMalloc(&dy, n * sizeof(float)));
  evaluate<<<(n + 127) / 128, 128>>>(dx, dy, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> y = to_host(dy, n);
  bool good = true;
  for (int k = 0; k < 8; ++k) good &= back[k] == c[k];
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 7; k >= 0; --k) sum = sum * x[i] + c[k];
    good &= close(y[i], sum);
  }
  return verdict(good);
}
