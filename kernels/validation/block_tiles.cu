// Half-precision products of 4 warps (2 x 2) on tiles that the block shares: 128 x 128 copied element by element or 16 bytes at a
// time, and 64 x 64 with cp.async, two buffers deep. Sums are float, the product is half.
#include <mma.h>

#include "mma.cuh"

namespace {

// A warp's kRows x kColumns tiles of 16 x 8 as halves, 2 bytes a store.
template <int kRows, int kColumns, bool kBounds>
__device__ __forceinline__ void store(half* c, const float (&sum)[kRows][kColumns][4], int row, int column, int m, int n) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const int r = row + i * 16 + lane / 4 + e / 2 * 8, col = column + j * 8 + lane % 4 * 2 + e % 2;
        if (!kBounds || (r < m && col < n)) c[static_cast<size_t>(r) * n + col] = __float2half(sum[i][j][e]);
      }
    }
  }
}

// One k step of 16 out of shared memory.
template <int kRows, int kColumns, int kStrideA, int kStrideB>
__device__ __forceinline__ void multiply(float (&sum)[kRows][kColumns][4], const half* a, const half* b) {
  const int lane = threadIdx.x % 32;
  unsigned part_a[kRows][4];
#pragma unroll
  for (int i = 0; i < kRows; ++i) load_x4(part_a[i], a + (i * 16 + lane % 16) * kStrideA + lane / 16 * 8);
#pragma unroll
  for (int j = 0; j < kColumns; ++j) {
    unsigned part_b[2];
    load_x2_trans(part_b, b + lane % 16 * kStrideB + j * 8);
#pragma unroll
    for (int i = 0; i < kRows; ++i) mma_f32(sum[i][j], part_a[i], part_b);
  }
}

template <bool kVectors, int kPad>
__device__ __forceinline__ void tile_128(const half* a, const half* b, half* c, int m, int n, int k) {
  constexpr int kStrideA = 32 + kPad, kStrideB = 128 + kPad;
  __shared__ __align__(16) half tile_a[128 * kStrideA], tile_b[32 * kStrideB];
  const int t = threadIdx.x, warp_row = t / 64 * 64, warp_column = t / 32 % 2 * 64;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128;
  float sum[4][8][4] = {};
  for (int at = 0; at < k; at += 32) {
    if constexpr (kVectors) {
      for (int i = t; i < 512; i += 128) {
        *reinterpret_cast<uint4*>(tile_a + i / 4 * kStrideA + i % 4 * 8) =
            *reinterpret_cast<const uint4*>(a + static_cast<size_t>(row + i / 4) * k + at + i % 4 * 8);
        *reinterpret_cast<uint4*>(tile_b + i / 16 * kStrideB + i % 16 * 8) =
            *reinterpret_cast<const uint4*>(b + static_cast<size_t>(at + i / 16) * n + column + i % 16 * 8);
      }
    } else {
      for (int i = t; i < 4096; i += 128) tile_a[i / 32 * kStrideA + i % 32] = a[static_cast<size_t>(row + i / 32) * k + at + i % 32];
      for (int i = t; i < 4096; i += 128) tile_b[i / 128 * kStrideB + i % 128] = b[static_cast<size_t>(at + i / 128) * n + column + i % 128];
    }
    __syncthreads();
#pragma unroll
    for (int inner = 0; inner < 32; inner += 16)
      multiply<4, 8, kStrideA, kStrideB>(sum, tile_a + warp_row * kStrideA + inner, tile_b + inner * kStrideB + warp_column);
    __syncthreads();
  }
  store<4, 8, false>(c, sum, row + warp_row, column + warp_column, m, n);
}

template <bool kBounds>
__device__ __forceinline__ void copy_vector(half* to, const half* from, bool inside) {
  if (!kBounds || inside)
    copy_async(to, from);
  else
    *reinterpret_cast<uint4*>(to) = uint4{};
}

template <bool kBounds>
__device__ __forceinline__ void tile_64(const half* a, const half* b, half* c, int m, int n, int k) {
  constexpr int kStrideA = 40, kStrideB = 72;
  __shared__ __align__(16) half tile_a[2][64 * kStrideA], tile_b[2][32 * kStrideB];
  const int t = threadIdx.x, warp_row = t / 64 * 32, warp_column = t / 32 % 2 * 32;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  const auto copy = [&](int stage, int at) {
#pragma unroll
    for (int i = t; i < 256; i += 128) {
      copy_vector<kBounds>(tile_a[stage] + i / 4 * kStrideA + i % 4 * 8, a + static_cast<size_t>(row + i / 4) * k + at + i % 4 * 8,
                           row + i / 4 < m && at + i % 4 * 8 < k);
      copy_vector<kBounds>(tile_b[stage] + i / 8 * kStrideB + i % 8 * 8, b + static_cast<size_t>(at + i / 8) * n + column + i % 8 * 8,
                           at + i / 8 < k && column + i % 8 * 8 < n);
    }
    commit();
  };
  float sum[2][4][4] = {};
  copy(0, 0);
  wait<0>();
  __syncthreads();
  int stage = 0;
  for (int at = 0; at < k; at += 32, stage ^= 1) {
    if (at + 32 < k) copy(stage ^ 1, at + 32);
#pragma unroll
    for (int inner = 0; inner < 32; inner += 16)
      multiply<2, 4, kStrideA, kStrideB>(sum, tile_a[stage] + warp_row * kStrideA + inner, tile_b[stage] + inner * kStrideB + warp_column);
    wait<0>();
    __syncthreads();
  }
  store<2, 4, kBounds>(c, sum, row + warp_row, column + warp_column, m, n);
}

}  // namespace

extern "C" __global__ void tile_128_scalar(const half* a, const half* b, half* c, int m, int n, int k) { tile_128<false, 0>(a, b, c, m, n, k); }
extern "C" __global__ void tile_128_vectors(const half* a, const half* b, half* c, int m, int n, int k) { tile_128<true, 8>(a, b, c, m, n, k); }
extern "C" __global__ void tile_64_async(const half* a, const half* b, half* c, int m, int n, int k) { tile_64<false>(a, b, c, m, n, k); }
extern "C" __global__ void tile_64_async_bounds(const half* a, const half* b, half* c, int m, int n, int k) { tile_64<true>(a, b, c, m, n, k); }

extern "C" __global__ void tile_128_wmma(const half* a, const half* b, half* c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(16) half tile_a[128 * 32], tile_b[32 * 128];
  __shared__ __align__(16) float scratch[4][256];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, warp_row = warp / 2 * 64, warp_column = warp % 2 * 64;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128;
  fragment<accumulator, 16, 16, 16, float> sum[4][4];
  for (int i = 0; i < 16; ++i) fill_fragment(sum[i / 4][i % 4], 0.0f);
  for (int at = 0; at < k; at += 32) {
    for (int i = t; i < 4096; i += 128) tile_a[i] = a[static_cast<size_t>(row + i / 32) * k + at + i % 32];
    for (int i = t; i < 4096; i += 128) tile_b[i] = b[static_cast<size_t>(at + i / 128) * n + column + i % 128];
    __syncthreads();
#pragma unroll
    for (int inner = 0; inner < 32; inner += 16) {
      fragment<matrix_a, 16, 16, 16, half, row_major> part_a[4];
      fragment<matrix_b, 16, 16, 16, half, row_major> part_b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        load_matrix_sync(part_a[i], tile_a + (warp_row + i * 16) * 32 + inner, 32);
        load_matrix_sync(part_b[i], tile_b + inner * 128 + warp_column + i * 16, 128);
      }
#pragma unroll
      for (int i = 0; i < 16; ++i) mma_sync(sum[i / 4][i % 4], part_a[i / 4], part_b[i % 4], sum[i / 4][i % 4]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    store_matrix_sync(scratch[warp], sum[i / 4][i % 4], 16, mem_row_major);
    __syncwarp();
    for (int e = lane; e < 256; e += 32) {
      const int r = row + warp_row + i / 4 * 16 + e / 16, col = column + warp_column + i % 4 * 16 + e % 16;
      c[static_cast<size_t>(r) * n + col] = __float2half(scratch[warp][e]);
    }
    __syncwarp();
  }
}
