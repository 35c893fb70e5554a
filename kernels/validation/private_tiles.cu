// Batched half-precision products whose warps share nothing: each of a block's 2 x 4 warps makes 16 x 16 and copies its own 16 x 16
// tiles of A and B to shared memory, 16 bytes a lane with cp.async, two or three buffers deep.
#include <mma.h>

#include "mma.cuh"
#include "private_tiles.cuh"

namespace {

using Tile = half[16][16];

// The k step's tiles, 8 halves a lane. The loops stay loops: the compiler does not know that every lane goes through them once.
__device__ __forceinline__ void copy_tiles(Tile& to_a, Tile& to_b, const half* a, const half* b, const Warp& w, int at, int n, int k) {
  for (int i = 8 * w.lane; i < 256; i += 8 * 32) {
    const int r = i / 16, c = i % 16;
    copy_async(&to_a[r][c], &a[(w.row + r) * k + c + at]);
  }
  for (int i = 8 * w.lane; i < 256; i += 8 * 32) {
    const int r = i / 16, c = i % 16;
    copy_async(&to_b[r][c], &b[(r + at) * n + w.column + c]);
  }
}

// The first tiles, element by element.
__device__ __forceinline__ void fill_tiles(Tile& to_a, Tile& to_b, const half* a, const half* b, const Warp& w, int n, int k) {
  for (int i = w.lane; i < 256; i += 32) {
    const int r = i / 16, c = i % 16;
    to_a[r][c] = a[(w.row + r) * k + c];
  }
  for (int i = w.lane; i < 256; i += 32) {
    const int r = i / 16, c = i % 16;
    to_b[r][c] = b[r * n + w.column + c];
  }
}

struct Parts {
  unsigned a[4], b[2][2];
};
__device__ __forceinline__ void load_parts(Parts& p, const Tile& a, const Tile& b, int lane) {
  load_x4(p.a, &a[lane % 16][lane / 16 * 8]);
  load_x2_trans(p.b[0], &b[lane % 16][0]);
  load_x2_trans(p.b[1], &b[lane % 16][8]);
}

__device__ __forceinline__ unsigned pack(half low, half high) {
  return __half_as_ushort(low) | static_cast<unsigned>(__half_as_ushort(high)) << 16;
}
// The same registers from scalar loads.
__device__ __forceinline__ void pack_parts(Parts& p, const Tile& a, const Tile& b, int lane) {
  const int r = lane / 4, c = lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = r + i % 2 * 8, y = c + i / 2 * 8;
    p.a[i] = pack(a[x][y], a[x][y + 1]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int x = c + i % 2 * 8, y = r + i / 2 * 8;
    p.b[i / 2][i % 2] = pack(b[x][y], b[x + 1][y]);
  }
}

__device__ __forceinline__ void store(float* c, const Warp& w, int n, int half_tile, float v0, float v1, float v2, float v3) {
  const int r = w.row + w.lane / 4, col = w.column + w.lane % 4 * 2 + half_tile * 8;
  c[r * n + col] = v0;
  c[r * n + col + 1] = v1;
  c[(r + 8) * n + col] = v2;
  c[(r + 8) * n + col + 1] = v3;
}

struct Single {  // accumulates in float
  float d[2][4] = {};
  __device__ __forceinline__ void multiply(const Parts& p) {
    mma_f32(d[0], p.a, p.b[0]);
    mma_f32(d[1], p.a, p.b[1]);
  }
  __device__ __forceinline__ void write(float* c, const Warp& w, int n) const {
    for (int i = 0; i < 2; ++i) store(c, w, n, i, d[i][0], d[i][1], d[i][2], d[i][3]);
  }
};
struct Halves {  // accumulates in half
  unsigned d[2][2] = {};
  __device__ __forceinline__ void multiply(const Parts& p) {
    mma_f16(d[0], p.a, p.b[0]);
    mma_f16(d[1], p.a, p.b[1]);
  }
  __device__ __forceinline__ void write(float* c, const Warp& w, int n) const {
    for (int i = 0; i < 2; ++i) {
      const float2 top = __half22float2(reinterpret_cast<const half2&>(d[i][0])), low = __half22float2(reinterpret_cast<const half2&>(d[i][1]));
      store(c, w, n, i, top.x, top.y, low.x, low.y);
    }
  }
};

template <class Sum, bool kPacked, bool kMeet>
__device__ __forceinline__ void two_buffers(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) Tile tile_a[2][8], tile_b[2][8];
  const Warp w = this_warp();
  if (w.row >= m || w.column >= n) return;
  a += w.batch * m * k;
  b += w.batch * k * n;
  c += w.batch * m * n;
  fill_tiles(tile_a[0][w.index], tile_b[0][w.index], a, b, w, n, k);
  if constexpr (kMeet) __syncthreads();
  Parts parts;
  Sum sum;
  const auto load = [&](int buffer) {
    if constexpr (kPacked)
      pack_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
    else
      load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  };
  load(0);
  int buffer = 0;
  for (int at = 16; at < k; at += 16) {
    buffer ^= 1;
    copy_tiles(tile_a[buffer][w.index], tile_b[buffer][w.index], a, b, w, at, n, k);
    commit();
    sum.multiply(parts);
    wait<0>();
    load(buffer);
  }
  sum.multiply(parts);
  sum.write(c, w, n);
}

}  // namespace

extern "C" __global__ void private_mma(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  two_buffers<Single, false, false>(a, b, c, m, n, k);
}
extern "C" __global__ void private_mma_packed(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  two_buffers<Single, true, true>(a, b, c, m, n, k);
}
extern "C" __global__ void private_mma_f16(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  two_buffers<Halves, false, true>(a, b, c, m, n, k);
}

extern "C" __global__ void private_mma_three(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(16) Tile tile_a[3][8], tile_b[3][8];
  const Warp w = this_warp();
  if (w.row >= m || w.column >= n) return;
  a += w.batch * m * k;
  b += w.batch * k * n;
  c += w.batch * m * n;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    copy_tiles(tile_a[i][w.index], tile_b[i][w.index], a, b, w, i * 16, n, k);
    commit();
  }
  wait<1>();
  Parts parts;
  Single sum;
  load_parts(parts, tile_a[0][w.index], tile_b[0][w.index], w.lane);
  int buffer = 0;
  for (int at = 32; at < k; at += 16) {
    const int next = (buffer + 1) % 3, free = (buffer + 2) % 3;
    copy_tiles(tile_a[free][w.index], tile_b[free][w.index], a, b, w, at, n, k);
    commit();
    sum.multiply(parts);
    wait<1>();
    buffer = next;
    load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  }
  sum.multiply(parts);
  wait<0>();
  buffer = (buffer + 1) % 3;
  load_parts(parts, tile_a[buffer][w.index], tile_b[buffer][w.index], w.lane);
  sum.multiply(parts);
  sum.write(c, w, n);
}

extern "C" __global__ void private_wmma(const half* __restrict__ a, const half* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  __shared__ __align__(16) Tile tile_a[2][8], tile_b[2][8];
  const Warp w = this_warp();
  if (w.row >= m || w.column >= n) return;
  a += w.batch * m * k;
  b += w.batch * k * n;
  c += w.batch * m * n;
  fragment<matrix_a, 16, 16, 16, half, row_major> part_a;
  fragment<matrix_b, 16, 16, 16, half, row_major> part_b;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  fill_tiles(tile_a[0][w.index], tile_b[0][w.index], a, b, w, n, k);
  __syncthreads();
  load_matrix_sync(part_a, &tile_a[0][w.index][0][0], 16);
  load_matrix_sync(part_b, &tile_b[0][w.index][0][0], 16);
  int buffer = 0;
  for (int at = 16; at < k; at += 16) {
    buffer ^= 1;
    copy_tiles(tile_a[buffer][w.index], tile_b[buffer][w.index], a, b, w, at, n, k);
    commit();
    mma_sync(sum, part_a, part_b, sum);
    wait<0>();
    load_matrix_sync(part_a, &tile_a[buffer][w.index][0][0], 16);
    load_matrix_sync(part_b, &tile_b[buffer][w.index][0][0], 16);
  }
  mma_sync(sum, part_a, part_b, sum);
  store_matrix_sync(c + w.row * n + w.column, sum, n, mem_row_major);
}
