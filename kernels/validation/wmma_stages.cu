// wmma out of shared memory that cp.async fills: 128 x 128 of 16 warps with three unpadded stages, and 64 x 64 of 4 warps with two
// padded ones and a scratch tile for C.
#include <mma.h>

#include "mma.cuh"

using namespace nvcuda::wmma;

extern "C" __global__ void __launch_bounds__(512, 2) wmma_three_stages(const half* a, const half* b, float* c, int m, int n, int k) {
  extern __shared__ __align__(16) half stages[];  // 3 x (A 128 x 32, B 32 x 128)
  half *stage_a[3], *stage_b[3];
  for (int i = 0; i < 3; ++i) {
    stage_a[i] = stages + i * 8192;
    stage_b[i] = stage_a[i] + 4096;
  }
  const int t = threadIdx.x, warp = t / 32, warp_row = warp / 4 * 32, warp_column = warp % 4 * 32;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128, slabs = k / 32;
  const auto copy = [&](int slab) {
    copy_async<false>(stage_a[slab % 3] + t / 4 * 32 + t % 4 * 8, a + static_cast<size_t>(row + t / 4) * k + slab * 32 + t % 4 * 8);
    copy_async<false>(stage_b[slab % 3] + t / 16 * 128 + t % 16 * 8, b + static_cast<size_t>(slab * 32 + t / 16) * n + column + t % 16 * 8);
    commit();
  };
  fragment<accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 4; ++i) fill_fragment(sum[i / 2][i % 2], 0.0f);
  copy(0);
  copy(1);
  for (int slab = 0; slab < slabs; ++slab) {
    if (slab + 2 < slabs) copy(slab + 2);
    wait<2>();
    __syncthreads();
#pragma unroll
    for (int inner = 0; inner < 32; inner += 16) {
      fragment<matrix_a, 16, 16, 16, half, row_major> part_a[2];
      fragment<matrix_b, 16, 16, 16, half, row_major> part_b[2];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        load_matrix_sync(part_a[i], stage_a[slab % 3] + (warp_row + i * 16) * 32 + inner, 32);
        load_matrix_sync(part_b[i], stage_b[slab % 3] + inner * 128 + warp_column + i * 16, 128);
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) mma_sync(sum[i / 2][i % 2], part_a[i / 2], part_b[i % 2], sum[i / 2][i % 2]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    store_matrix_sync(c + static_cast<size_t>(row + warp_row + i / 2 * 16) * n + column + warp_column + i % 2 * 16, sum[i / 2][i % 2], n,
                      mem_row_major);
}

extern "C" __global__ void wmma_two_stages(const half* a, const half* b, half* c, int m, int n, int k, float alpha, float beta) {
  __shared__ __align__(16) half tile_a[2][64 * 40], tile_b[2][32 * 72];
  __shared__ __align__(16) float scratch[64 * 72];
  const int t = threadIdx.y * 16 + threadIdx.x, warp = t / 32, warp_row = warp / 2, warp_column = warp % 2;
  const int row = blockIdx.y * 64, column = blockIdx.x * 64;
  const auto copy = [&](int stage, int at) {
    for (int v = t; v < 256; v += 128) {
      const int ra = v / 4, ca = v % 4 * 8, rb = v / 8, cb = v % 8 * 8;
      if (row + ra < m && at + ca < k) copy_async(tile_a[stage] + ra * 40 + ca, a + static_cast<size_t>(row + ra) * k + at + ca);
      if (at + rb < k && column + cb < n) copy_async(tile_b[stage] + rb * 72 + cb, b + static_cast<size_t>(at + rb) * n + column + cb);
    }
    commit();
  };
  fragment<accumulator, 16, 16, 16, float> sum[2][2];
  for (int i = 0; i < 4; ++i) fill_fragment(sum[i / 2][i % 2], 0.0f);
  copy(0, 0);
  int stage = 0;
  for (int at = 0; at < k; at += 32, stage ^= 1) {
    if (at + 32 < k) {
      copy(stage ^ 1, at + 32);
      wait<1>();
    } else {
      wait<0>();
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < 8; ++step) {
      const int inner = step / 4 * 16, i = step / 2 % 2, j = step % 2;
      fragment<matrix_a, 16, 16, 16, half, row_major> part_a;
      fragment<matrix_b, 16, 16, 16, half, row_major> part_b;
      load_matrix_sync(part_a, tile_a[stage] + (warp_row + 2 * i) * 16 * 40 + inner, 40);
      load_matrix_sync(part_b, tile_b[stage] + inner * 72 + (warp_column + 2 * j) * 16, 72);
      mma_sync(sum[i][j], part_a, part_b, sum[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    store_matrix_sync(scratch + (warp_row + 2 * (i / 2)) * 16 * 72 + (warp_column + 2 * (i % 2)) * 16, sum[i / 2][i % 2], 72, mem_row_major);
  __syncthreads();
  for (int v = t; v < 512; v += 128) {
    const int r = v / 8, col = v % 8 * 8;
    uint4* place = reinterpret_cast<uint4*>(c + static_cast<size_t>(row + r) * n + column + col);
    uint4 old = *place;
    half* part = reinterpret_cast<half*>(&old);
#pragma unroll
    for (int e = 0; e < 8; ++e) part[e] = __float2half(alpha * scratch[r * 72 + col + e] + beta * __half2float(part[e]));
    *place = old;
  }
}
