// C = A B through shared tiles.
#include "check.h"

template <int kTile>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float sa[kTile][kTile], sb[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += kTile) {
    sa[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    sb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += sa[threadIdx.y][k] * sb[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 96;
  std::vector<float> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = any_float(i), b[i] = any_float(i + 7777);
  float *da = to_device(a), *db = to_device(b), *dc = nullptr;
  CHECK(cudaMalloc(&dc, n * n * sizeof(float)));
  matmul<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(da, db, dc, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> c = to_host(dc, n * n);
  bool good = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += double(a[i * n + k]) * b[k * n + j];
      good &= close(c[i * n + j], sum);
    }
  return verdict(good);
}
