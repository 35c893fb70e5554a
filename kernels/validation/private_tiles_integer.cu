// The integer sisters of private_tiles.cu: int8 and int4 (two in a byte), B transposed, 32-bit sums. A warp's tile is 16 rows of 32
// bytes (wmma: of 16), rows of B are columns of the product.
#include <mma.h>

#include "mma.cuh"
#include "private_tiles.cuh"

namespace {

template <int kBytes>
using Tile = char[16][kBytes];  // 16 rows of the matrix

// 16 bytes a lane, in a loop that the compiler keeps; `bytes` is the matrix's row.
template <bool kInL1, int kBytes>
__device__ __forceinline__ void copy_tile(Tile<kBytes>& to, const char* from, int lane, int first_row, int at, int bytes) {
  for (int i = lane; i < kBytes; i += 32) {
    const int r = i * 16 / kBytes, c = i * 16 % kBytes;
    copy_async<kInL1>(&to[r][c], &from[(first_row + r) * bytes + c + at]);
  }
}
template <int kBytes>
__device__ __forceinline__ void fill_tile(Tile<kBytes>& to, const char* from, int lane, int first_row, int bytes) {
  for (int i = lane; i < 16 * kBytes; i += 32) {
    const int r = i / kBytes, c = i % kBytes;
    to[r][c] = from[(first_row + r) * bytes + c];
  }
}

struct Parts {
  unsigned a[4], b[2][2];
};
__device__ __forceinline__ void load_parts(Parts& p, const Tile<32>& a, const Tile<32>& b, int lane) {
  const int byte = lane / 8 % 2 * 16;
  load_x4(p.a, &a[lane % 8 + lane / 16 * 8][byte]);
  load_x2(p.b[0], &b[lane % 8][byte]);
  load_x2(p.b[1], &b[lane % 8 + 8][byte]);
}

template <bool kNibbles>
__device__ __forceinline__ void multiply(int (&d)[2][4], const Parts& p) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    if constexpr (kNibbles)
      mma_s4(d[i], p.a, p.b[i]);
    else
      mma_s8(d[i], p.a, p.b[i]);
  }
}

__device__ __forceinline__ void store(int* c, const int (&d)[2][4], const Warp& w, int n) {
  int* to = c + w.row * n + w.column;
  for (int i = 0; i < 8; ++i) to[(w.lane / 4 + i / 2 % 2 * 8) * n + w.lane % 4 * 2 + i / 4 * 8 + i % 2] = d[i / 4][i % 4];
}

template <bool kNibbles, bool kInL1>
__device__ __forceinline__ void two_buffers(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) Tile<32> tile_a[2][8], tile_b[2][8];
  const Warp w = this_warp();
  if (w.row >= m || w.column >= n) return;
  const int bytes = kNibbles ? k / 2 : k;
  a += w.batch * m * bytes;
  b += w.batch * n * bytes;
  c += w.batch * m * n;
  fill_tile(tile_a[0][w.index], a, w.lane, w.row, bytes);
  fill_tile(tile_b[0][w.index], b, w.lane, w.column, bytes);
  __syncthreads();
  Parts parts;
  int sum[2][4] = {};
  load_parts(parts, tile_a[0][w.index], tile_b[0][w.index], w.lane);
  int buffer = 0;
  for (int at = 32; at < bytes; at += 32) {
    buffer ^= 1;
    copy_tile<kInL1>(tile_a[buffer][w.index], a, w.lane, w.row, at, bytes);
    copy_tile<kInL1>(tile_b[buffer][w.index], b, w.lane, w.column, at, bytes);
    commit();
    multiply<kNibbles>(sum, parts);
    wait<0>();
    __syncthreads();
    load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  }
  multiply<kNibbles>(sum, parts);
  store(c, sum, w, n);
}

}  // namespace

extern "C" __global__ void private_s8(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ c, int m, int n, int k) {
  two_buffers<false, true>(a, b, c, m, n, k);
}
extern "C" __global__ void private_s4(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ c, int m, int n, int k) {
  two_buffers<true, true>(a, b, c, m, n, k);
}
extern "C" __global__ void private_s4_past_l1(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ c, int m, int n, int k) {
  two_buffers<true, false>(a, b, c, m, n, k);
}

extern "C" __global__ void private_s4_three(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) Tile<32> tile_a[3][8], tile_b[3][8];
  const Warp w = this_warp();
  if (w.row >= m || w.column >= n) return;
  const int bytes = k / 2;
  a += w.batch * m * bytes;
  b += w.batch * n * bytes;
  c += w.batch * m * n;
  for (int i = 0; i < 2; ++i) {
    copy_tile<true>(tile_a[i][w.index], a, w.lane, w.row, i * 32, bytes);
    copy_tile<true>(tile_b[i][w.index], b, w.lane, w.column, i * 32, bytes);
    commit();
  }
  wait<1>();
  Parts parts;
  int sum[2][4] = {};
  load_parts(parts, tile_a[0][w.index], tile_b[0][w.index], w.lane);
  int buffer = 0;
  for (int at = 64; at < bytes; at += 32) {
    const int next = (buffer + 1) % 3, free = (buffer + 2) % 3;
    copy_tile<true>(tile_a[free][w.index], a, w.lane, w.row, at, bytes);
    copy_tile<true>(tile_b[free][w.index], b, w.lane, w.column, at, bytes);
    commit();
    multiply<true>(sum, parts);
    wait<1>();
    buffer = next;
    load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  }
  multiply<true>(sum, parts);
  wait<0>();
  buffer = (buffer + 1) % 3;
  load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  multiply<true>(sum, parts);
  store(c, sum, w, n);
}

__device__ __forceinline__ const signed char* as_signed(const Tile<16>& tile) { return reinterpret_cast<const signed char*>(&tile[0][0]); }

// Tiles of 16 x 16 bytes; half the lanes copy.
extern "C" __global__ void private_s8_wmma(const char* __restrict__ a, const char* __restrict__ b, int* __restrict__ c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(16) Tile<16> tile_a[2][8], tile_b[2][8];
  const Warp w = this_warp();
  if (w.row >= m || w.column >= n) return;
  a += w.batch * m * k;
  b += w.batch * n * k;
  c += w.batch * m * n;
  fill_tile(tile_a[0][w.index], a, w.lane, w.row, k);
  fill_tile(tile_b[0][w.index], b, w.lane, w.column, k);
  __syncthreads();
  fragment<matrix_a, 16, 16, 16, signed char, row_major> part_a;
  fragment<matrix_b, 16, 16, 16, signed char, col_major> part_b;
  fragment<accumulator, 16, 16, 16, int> sum;
  fill_fragment(sum, 0);
  load_matrix_sync(part_a, as_signed(tile_a[0][w.index]), 16);
  load_matrix_sync(part_b, as_signed(tile_b[0][w.index]), 16);
  int buffer = 0;
  for (int at = 16; at < k; at += 16) {
    buffer ^= 1;
    copy_tile<true>(tile_a[buffer][w.index], a, w.lane, w.row, at, k);
    copy_tile<true>(tile_b[buffer][w.index], b, w.lane, w.column, at, k);
    commit();
    mma_sync(sum, part_a, part_b, sum);
    wait<0>();
    load_matrix_sync(part_a, as_signed(tile_a[buffer][w.index]), 16);
    load_matrix_sync(part_b, as_signed(tile_b[buffer][w.index]), 16);
  }
  mma_sync(sum, part_a, part_b, sum);
  store_matrix_sync(c + w.row * n + w.column, sum, n, mem_row_major);
}
