// A 64 x 64 product of halves with wmma, f32 sums.
#include <cuda_fp16.h>
#include <mma.h>

#include "check.h"

using namespace nvcuda;

__global__ void product(const half* a, const half* b, float* c, int n) {
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + column, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + column, fc, n, wmma::mem_row_major);
}

int main() {
  const int n = 64;
  std::vector<half> a(n * n), b(n * n);
  for (int i = 0; i < n * n; ++i) a[i] = __float2half(any_float(i)), b[i] = __float2half(any_float(i + 5000));
  half *da = to_device(a), *db = to_device(b);
  float* dc = nullptr;
  CHECK(cudaMalloc(&dc, n * n * sizeof(float)));
  product<<<dim3(n / 16, n / 16), 32>>>(da, db, dc, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> c = to_host(dc, n * n);
  bool good = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k)
        sum += double(__half2float(a[i * n + k])) * __half2float(b[k * n + j]);
      good &= close(c[i * n + j], sum, 1e-3);
    }
  return verdict(good);
}
