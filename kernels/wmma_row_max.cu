// The maximum of each row of a 16 x 16 product, twice: through shared memory, as textbooks do it,
// and in registers. Both give the same numbers; the second needs no shared memory and no barrier.
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "wmma_reduce.cuh"

using namespace nvcuda;

constexpr int kSide = 16;
using Accumulator = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// A is row-major, B column-major, both dense.
__device__ Accumulator multiply(const half* a, const half* b) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a_fragment;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b_fragment;
  Accumulator c;
  wmma::fill_fragment(c, 0.0f);
  wmma::load_matrix_sync(a_fragment, a, kSide);
  wmma::load_matrix_sync(b_fragment, b, kSide);
  wmma::mma_sync(c, a_fragment, b_fragment, c);
  return c;
}

// One warp. Two lanes share a row, so that every lane works and each element is read once.
extern "C" __global__ void row_max_shared(const half* a, const half* b, float* out) {
  __shared__ __align__(32) float tile[kSide * kSide];
  const Accumulator c = multiply(a, b);
  wmma::store_matrix_sync(tile, c, kSide, wmma::mem_row_major);
  __syncthreads();
  const int row = threadIdx.x / 2;
  const float4* half_row =
      reinterpret_cast<const float4*>(tile + row * kSide + 8 * (threadIdx.x % 2));
  const float4 x = half_row[0], y = half_row[1];
  float most =
      fmaxf(fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)), fmaxf(fmaxf(y.x, y.y), fmaxf(y.z, y.w)));
  most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, 1));
  if (threadIdx.x % 2 == 0) out[row] = most;
}

extern "C" __global__ void row_max_registers(const half* a, const half* b, float* out) {
  const Accumulator c = multiply(a, b);
  float rows[2];
  row_max(c.x, rows);
  const int lane = threadIdx.x;
  if (!owns_row(lane)) return;
  for (int j = 0; j < 2; ++j) out[reduced_row(lane, j)] = rows[j];
}

int main() {
  std::vector<half> a(kSide * kSide), b(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) {
    a[i] = __float2half(float(i * 7 % 23) - 11.0f);
    b[i] = __float2half(float(i * 5 % 19) - 9.0f);
  }
  half *da, *db;
  float* dout;
  cudaMalloc(&da, a.size() * sizeof(half));
  cudaMalloc(&db, b.size() * sizeof(half));
  cudaMalloc(&dout, 2 * kSide * sizeof(float));
  cudaMemcpy(da, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
  row_max_shared<<<1, 32>>>(da, db, dout);
  row_max_registers<<<1, 32>>>(da, db, dout + kSide);
  float out[2 * kSide];
  cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int r = 0; r < kSide; ++r) {
    float most = -INFINITY;
    for (int c = 0; c < kSide; ++c) {
      float sum = 0;
      for (int k = 0; k < kSide; ++k)
        sum += __half2float(a[r * kSide + k]) * __half2float(b[c * kSide + k]);
      most = fmaxf(most, sum);
    }
    wrong += out[r] != most;
    wrong += out[kSide + r] != most;
  }
  std::printf("%d of %d row maxima are wrong\n", wrong, 2 * kSide);
  return wrong != 0;
}
