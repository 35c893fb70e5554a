// The integer sisters of private_tiles.cu: int8 and int4 (two in a byte), B transposed, 32-bit sums. A warp's tile is 16 rows of 32
// bytes (wmma: of 16), rows of B are columns of the product.
#include <mma.h>

#include "mma.cuh"
#include "private_tiles.cuh"

namespace {

constexpr int kRow = 32, kTile = 16 * kRow;  // bytes

// 16 bytes a lane of each tile; `bytes` is a row's length.
template <bool kInL1>
__device__ __forceinline__ void copy_tiles(char* to_a, char* to_b, const char* a, const char* b, const Warp& w, int at, int bytes) {
  const int r = w.lane / 2, c = w.lane % 2 * 16;
  copy_async<kInL1>(to_a + r * kRow + c, a + static_cast<size_t>(w.row + r) * bytes + at + c);
  copy_async<kInL1>(to_b + r * kRow + c, b + static_cast<size_t>(w.column + r) * bytes + at + c);
}

__device__ __forceinline__ void fill_tiles(char* to_a, char* to_b, const char* a, const char* b, const Warp& w, int bytes) {
  for (int i = w.lane; i < kTile; i += 32) {
    to_a[i] = a[static_cast<size_t>(w.row + i / kRow) * bytes + i % kRow];
    to_b[i] = b[static_cast<size_t>(w.column + i / kRow) * bytes + i % kRow];
  }
}

struct Parts {
  unsigned a[4], b[2][2];
};
__device__ __forceinline__ void load_parts(Parts& p, const char* a, const char* b, int lane) {
  const int byte = lane / 8 % 2 * 16;
  load_x4(p.a, a + (lane % 8 + lane / 16 * 8) * kRow + byte);
  load_x2(p.b[0], b + lane % 8 * kRow + byte);
  load_x2(p.b[1], b + (lane % 8 + 8) * kRow + byte);
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
  for (int i = 0; i < 8; ++i) {
    const int r = w.row + w.lane / 4 + i / 2 % 2 * 8, col = w.column + w.lane % 4 * 2 + i / 4 * 8 + i % 2;
    c[static_cast<size_t>(r) * n + col] = d[i / 4][i % 4];
  }
}

template <bool kNibbles, bool kInL1>
__device__ __forceinline__ void two_buffers(const char* a, const char* b, int* c, int m, int n, int k) {
  __shared__ __align__(16) char tile_a[2][8][kTile], tile_b[2][8][kTile];
  const Warp w = this_warp();
  const int bytes = kNibbles ? k / 2 : k;
  a += static_cast<size_t>(blockIdx.z) * m * bytes;
  b += static_cast<size_t>(blockIdx.z) * n * bytes;
  c += static_cast<size_t>(blockIdx.z) * m * n;
  fill_tiles(tile_a[0][w.index], tile_b[0][w.index], a, b, w, bytes);
  __syncthreads();
  Parts parts;
  int sum[2][4] = {};
  load_parts(parts, tile_a[0][w.index], tile_b[0][w.index], w.lane);
  int buffer = 0;
  for (int at = kRow; at < bytes; at += kRow) {
    buffer ^= 1;
    copy_tiles<kInL1>(tile_a[buffer][w.index], tile_b[buffer][w.index], a, b, w, at, bytes);
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

extern "C" __global__ void private_s8(const char* a, const char* b, int* c, int m, int n, int k) {
  two_buffers<false, true>(a, b, c, m, n, k);
}
extern "C" __global__ void private_s4(const char* a, const char* b, int* c, int m, int n, int k) {
  two_buffers<true, true>(a, b, c, m, n, k);
}
extern "C" __global__ void private_s4_past_l1(const char* a, const char* b, int* c, int m, int n, int k) {
  two_buffers<true, false>(a, b, c, m, n, k);
}

extern "C" __global__ void private_s4_three(const char* a, const char* b, int* c, int m, int n, int k) {
  __shared__ __align__(16) char tile_a[3][8][kTile], tile_b[3][8][kTile];
  const Warp w = this_warp();
  const int bytes = k / 2;
  a += static_cast<size_t>(blockIdx.z) * m * bytes;
  b += static_cast<size_t>(blockIdx.z) * n * bytes;
  c += static_cast<size_t>(blockIdx.z) * m * n;
  for (int i = 0; i < 2; ++i) {
    copy_tiles<true>(tile_a[i][w.index], tile_b[i][w.index], a, b, w, i * kRow, bytes);
    commit();
  }
  wait<1>();
  Parts parts;
  int sum[2][4] = {};
  load_parts(parts, tile_a[0][w.index], tile_b[0][w.index], w.lane);
  int buffer = 0;
  for (int at = 2 * kRow; at < bytes; at += kRow) {
    const int free = (buffer + 2) % 3;
    copy_tiles<true>(tile_a[free][w.index], tile_b[free][w.index], a, b, w, at, bytes);
    commit();
    multiply<true>(sum, parts);
    wait<1>();
    buffer = (buffer + 1) % 3;
    load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  }
  multiply<true>(sum, parts);
  wait<0>();
  buffer = (buffer + 1) % 3;
  load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  multiply<true>(sum, parts);
  store(c, sum, w, n);
}

// Tiles of 16 x 16 bytes; half the lanes copy.
extern "C" __global__ void private_s8_wmma(const signed char* a, const signed char* b, int* c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(16) signed char tile_a[2][8][256], tile_b[2][8][256];
  const Warp w = this_warp();
  a += static_cast<size_t>(blockIdx.z) * m * k;
  b += static_cast<size_t>(blockIdx.z) * n * k;
  c += static_cast<size_t>(blockIdx.z) * m * n;
  for (int i = w.lane; i < 256; i += 32) {
    tile_a[0][w.index][i] = a[static_cast<size_t>(w.row + i / 16) * k + i % 16];
    tile_b[0][w.index][i] = b[static_cast<size_t>(w.column + i / 16) * k + i % 16];
  }
  __syncthreads();
  fragment<matrix_a, 16, 16, 16, signed char, row_major> part_a;
  fragment<matrix_b, 16, 16, 16, signed char, col_major> part_b;
  fragment<accumulator, 16, 16, 16, int> sum;
  fill_fragment(sum, 0);
  load_matrix_sync(part_a, tile_a[0][w.index], 16);
  load_matrix_sync(part_b, tile_b[0][w.index], 16);
  int buffer = 0;
  for (int at = 16; at < k; at += 16) {
    buffer ^= 1;
    if (w.lane < 16) {
      copy_async(tile_a[buffer][w.index] + w.lane * 16, a + static_cast<size_t>(w.row + w.lane) * k + at);
      copy_async(tile_b[buffer][w.index] + w.lane * 16, b + static_cast<size_t>(w.column + w.lane) * k + at);
    }
    commit();
    mma_sync(sum, part_a, part_b, sum);
    wait<0>();
    load_matrix_sync(part_a, tile_a[buffer][w.index], 16);
    load_matrix_sync(part_b, tile_b[buffer][w.index], 16);
  }
  mma_sync(sum, part_a, part_b, sum);
  store_matrix_sync(c + static_cast<size_t>(w.row) * n + w.column, sum, n, mem_row_major);
}
