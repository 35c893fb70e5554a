// Attention in three kernels, as tiles/attention_naive.tile writes it down: S = scale Q K^T, P =
// softmax(S) row by row, O = P V; one head, halves, S and P stored as N x N halves. The products use
// the tensor cores on tiles of 64 x 64 so that the traffic is that of a sound implementation: what
// this costs more than flash_attention.cu is the round trips of S and P.
//
//   scores   grid (N/64, N/64), block 128    reads Q, K    writes S
//   softmax  grid N, block 128               reads S       writes P
//   values   grid N/64, block 128            reads P, V    writes O        head dimension 64
//
// All three take all arrays, so that each array has one address when they run one after another.
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

namespace {

constexpr int kHead = 64, kTile = 64, kWide = kTile + 8;
using Accumulator = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// 64 rows of 64 halves from global into padded shared memory, 16 bytes a lane.
__device__ void load_tile(half (&to)[kTile][kWide], const half* from, int stride) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int at = threadIdx.x + i * 128;
    *reinterpret_cast<uint4*>(&to[at / 8][at % 8 * 8]) =
        *reinterpret_cast<const uint4*>(&from[size_t(at / 8) * stride + at % 8 * 8]);
  }
}

// 64 x 64 of results, each warp 16 rows, as halves.
__device__ void store_tile(half* to, int stride, const half (&from)[kTile][kWide]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int at = threadIdx.x + i * 128;
    *reinterpret_cast<uint4*>(&to[size_t(at / 8) * stride + at % 8 * 8]) =
        *reinterpret_cast<const uint4*>(&from[at / 8][at % 8 * 8]);
  }
}

__device__ void keep(half (&to)[kTile][kWide], int row, int column, const Accumulator& sum) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> rounded;
#pragma unroll
  for (int i = 0; i < sum.num_elements; ++i) rounded.x[i] = __float2half(sum.x[i]);
  wmma::store_matrix_sync(&to[row][column], rounded, kWide, wmma::mem_row_major);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128)
    attention_scores(const half* q, const half* k, const half* v, half* s, half* p, half* out, int n,
                     float scale) {
  __shared__ alignas(32) half queries[kTile][kWide], keys[kTile][kWide];
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile, warp = threadIdx.x / 32;
  load_tile(queries, q + size_t(row) * kHead, kHead);
  load_tile(keys, k + size_t(column) * kHead, kHead);
  __syncthreads();
  Accumulator sum[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    wmma::fill_fragment(sum[j], 0.0f);
#pragma unroll
    for (int d = 0; d < kHead; d += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
      wmma::load_matrix_sync(left, &queries[warp * 16][d], kWide);
      wmma::load_matrix_sync(right, &keys[j * 16][d], kWide);
      wmma::mma_sync(sum[j], left, right, sum[j]);
    }
#pragma unroll
    for (int i = 0; i < sum[j].num_elements; ++i) sum[j].x[i] *= scale;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 4; ++j) keep(queries, warp * 16, j * 16, sum[j]);
  __syncthreads();
  store_tile(s + size_t(row) * n + column, n, queries);
}

// One row a block: read once, kept in registers, written once. n <= 4096, a multiple of 128.
extern "C" __global__ void __launch_bounds__(128) attention_softmax(
    const half* q, const half* k, const half* v, const half* s, half* p, half* out, int n,
    float scale) {
  __shared__ float part[4];
  const half* row = s + size_t(blockIdx.x) * n;
  float most = -1e30f;
  constexpr int kMost = 32;  // constant bounds keep the row in registers
  float kept[kMost];
  const int count = n / 128;
#pragma unroll
  for (int i = 0; i < kMost; ++i) {
    if (i >= count) continue;
    kept[i] = __half2float(row[i * 128 + threadIdx.x]);
    most = fmaxf(most, kept[i]);
  }
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kMost; ++i)
    if (i < count) sum += kept[i] = __expf(kept[i] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
  __syncthreads();
  const float inverse = 1.0f / (part[0] + part[1] + part[2] + part[3]);
#pragma unroll
  for (int i = 0; i < kMost; ++i)
    if (i < count) p[size_t(blockIdx.x) * n + i * 128 + threadIdx.x] = __float2half(kept[i] * inverse);
}

extern "C" __global__ void __launch_bounds__(128)
    attention_values(const half* q, const half* k, const half* v, const half* s, const half* p,
                     half* out, int n, float scale) {
  __shared__ alignas(32) half weights[kTile][kWide], values[kTile][kWide];
  const int row = blockIdx.x * kTile, warp = threadIdx.x / 32;
  Accumulator sum[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(sum[j], 0.0f);
  for (int t = 0; t < n; t += kTile) {
    load_tile(weights, p + size_t(row) * n + t, n);
    load_tile(values, v + size_t(t) * kHead, kHead);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
      wmma::load_matrix_sync(left, &weights[warp * 16][k], kWide);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
        wmma::load_matrix_sync(right, &values[k][j * 16], kWide);
        wmma::mma_sync(sum[j], left, right, sum[j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) keep(weights, warp * 16, j * 16, sum[j]);
  __syncthreads();
  store_tile(out + size_t(row) * kHead, kHead, weights);
}
