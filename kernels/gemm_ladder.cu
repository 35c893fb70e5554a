// C = A * B, one step of the classic ladder after another; each differs from the one before in one
// thing. Row-major, M = N = K = n, n a multiple of 64. `warpledger study gemm` profiles all of them.
//
//   step             block     grid                 what is new
//   gemm_naive       32 x 32   n/32, n/32           one element a thread; lanes run down a column
//   gemm_coalesced   32 x 32   n/32, n/32           lanes run along a row
//   gemm_shared      32 x 32   n/32, n/32           tiles of 32 x 32 in shared memory
//   gemm_register    256       n/64, n/64           4 x 4 elements a thread in registers
//   gemm_vectorised  256       n/64, n/64           128 bits a lane and request
//   gemm_tensor      128       n/64, n/64           halves, products by the tensor cores
#include <cuda_fp16.h>

#include <cstdint>

extern "C" __global__ void gemm_naive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void gemm_coalesced(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

extern "C" __global__ void gemm_shared(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[32][32], tile_b[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  const int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int t = 0; t < n; t += 32) {
    tile_a[y][x] = a[row * n + t + x];
    tile_b[y][x] = b[(t + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

constexpr int kTile = 64, kDepth = 16, kPart = 4;

extern "C" __global__ void __launch_bounds__(256)
    gemm_register(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kDepth + 1], tile_b[kDepth][kTile];
  const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  float sum[kPart][kPart] = {};
  for (int t = 0; t < n; t += kDepth) {
#pragma unroll
    for (int i = 0; i < kTile * kDepth / 256; ++i) {
      const int at = thread + i * 256;
      tile_a[at / kDepth][at % kDepth] = a[(row + at / kDepth) * n + t + at % kDepth];
      tile_b[at / kTile][at % kTile] = b[(t + at / kTile) * n + column + at % kTile];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float left[kPart], right[kPart];
#pragma unroll
      for (int p = 0; p < kPart; ++p) left[p] = tile_a[y + 16 * p][k], right[p] = tile_b[k][x + 16 * p];
#pragma unroll
      for (int p = 0; p < kPart; ++p)
#pragma unroll
        for (int q = 0; q < kPart; ++q) sum[p][q] += left[p] * right[q];
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < kPart; ++p)
#pragma unroll
    for (int q = 0; q < kPart; ++q) c[(row + y + 16 * p) * n + column + x + 16 * q] = sum[p][q];
}

// A's tile is kept transposed, so that a thread's four values of either side are one 128-bit load.
extern "C" __global__ void __launch_bounds__(256)
    gemm_vectorised(const float* a, const float* b, float* c, int n) {
  __shared__ alignas(16) float tile_a[kDepth][kTile + 4], tile_b[kDepth][kTile];
  const int thread = threadIdx.x, x = thread % 16, y = thread / 16;
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  const int a_row = thread / 4, a_k = thread % 4 * 4, b_k = thread / 16, b_column = thread % 16 * 4;
  float sum[kPart][kPart] = {};
  for (int t = 0; t < n; t += kDepth) {
    const float4 left = *reinterpret_cast<const float4*>(&a[(row + a_row) * n + t + a_k]);
    tile_a[a_k][a_row] = left.x;
    tile_a[a_k + 1][a_row] = left.y;
    tile_a[a_k + 2][a_row] = left.z;
    tile_a[a_k + 3][a_row] = left.w;
    *reinterpret_cast<float4*>(&tile_b[b_k][b_column]) =
        *reinterpret_cast<const float4*>(&b[(t + b_k) * n + column + b_column]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const float4 l = *reinterpret_cast<const float4*>(&tile_a[k][y * 4]);
      const float4 r = *reinterpret_cast<const float4*>(&tile_b[k][x * 4]);
      const float ls[] = {l.x, l.y, l.z, l.w}, rs[] = {r.x, r.y, r.z, r.w};
#pragma unroll
      for (int p = 0; p < kPart; ++p)
#pragma unroll
        for (int q = 0; q < kPart; ++q) sum[p][q] += ls[p] * rs[q];
    }
    __syncthreads();
  }
#pragma unroll
  for (int p = 0; p < kPart; ++p)
    *reinterpret_cast<float4*>(&c[(row + y * 4 + p) * n + column + x * 4]) =
        make_float4(sum[p][0], sum[p][1], sum[p][2], sum[p][3]);
}

// Four 8 x 8 matrices of halves from shared memory, as an operand of the tensor cores wants them.
__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], const half* from) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}
__device__ __forceinline__ void load_transposed(uint32_t (&to)[4], const half* from) {
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(from));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}
__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Four warps, each 32 x 32 of the tile; rows of shared memory are padded by 16 bytes, so that eight
// of them lie in different banks.
extern "C" __global__ void __launch_bounds__(128)
    gemm_tensor(const half* a, const half* b, float* c, int n) {
  constexpr int kDeep = 32;
  __shared__ alignas(16) half tile_a[kTile][kDeep + 8], tile_b[kDeep][kTile + 8];
  const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  const int column = blockIdx.x * kTile, row = blockIdx.y * kTile;
  const int warp_row = warp / 2 * 32, warp_column = warp % 2 * 32;
  float sum[2][4][4] = {};  // strips of 16 rows, blocks of 8 columns
  for (int t = 0; t < n; t += kDeep) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = thread + i * 128;
      *reinterpret_cast<uint4*>(&tile_a[at / 4][at % 4 * 8]) =
          *reinterpret_cast<const uint4*>(&a[(row + at / 4) * n + t + at % 4 * 8]);
      *reinterpret_cast<uint4*>(&tile_b[at / 8][at % 8 * 8]) =
          *reinterpret_cast<const uint4*>(&b[(t + at / 8) * n + column + at % 8 * 8]);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDeep; k += 16) {
      uint32_t left[2][4], right[2][4];
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        load_matrices(left[i], &tile_a[warp_row + 16 * i + lane % 16][k + lane / 16 * 8]);
        load_transposed(right[i], &tile_b[k + lane % 16][warp_column + 16 * i + lane / 16 * 8]);
      }
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          multiply(sum[i][j], left[i], right[j / 2][j % 2 * 2], right[j / 2][j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int part = 0; part < 2; ++part) {
        const int to_row = row + warp_row + 16 * i + 8 * part + lane / 4;
        const int to_column = column + warp_column + 8 * j + lane % 4 * 2;
        *reinterpret_cast<float2*>(&c[to_row * n + to_column]) =
            make_float2(sum[i][j][2 * part], sum[i][j][2 * part + 1]);
      }
}
