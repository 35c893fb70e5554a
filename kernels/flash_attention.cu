// Flash attention, forward, for sm_80 and later: O = softmax(scale Q K^T) V for every head, halves,
// head dimension 64. Shaped as FlashAttention-2 is: a block takes 128 query rows of one head, four
// warps of 32 rows each; K and V come in tiles of 64 rows by cp.async past the L1, two tiles deep;
// operands by ldmatrix from rows of 128 bytes whose 16-byte chunks are swizzled (no bank conflict);
// products by mma.sync.m16n8k16; P stays in registers.
//
//   q, k, v, out  [heads][length][64] halves (heads: batch times heads), row-major
//   lse           [heads][length] floats: the logarithm of each row's sum, as the backward pass
//   wants it grid (length / 128, heads), block 128; length a multiple of 128
#include <cuda_fp16.h>

#include <cstdint>

namespace {

constexpr int kHead = 64;
constexpr int kQueryRows = 128, kKeyRows = 64;
constexpr int kThreads = 128;
constexpr int kChunks = kHead / 8;  // 16-byte pieces of a row
constexpr int kStrips = 2;          // of 16 rows, per warp
constexpr int kTileBytes = kKeyRows * kHead * 2;
constexpr float kLog2e = 1.4426950408889634f;

struct Shared {
  alignas(128) half q[kQueryRows * kHead];  // later the block's output
  alignas(128) half k[2][kKeyRows * kHead];
  alignas(128) half v[2][kKeyRows * kHead];
};

// Byte offset of a chunk in a tile of 128-byte rows.
__device__ __forceinline__ uint32_t swizzled(int row, int chunk) {
  return row * (kHead * 2) + ((chunk ^ (row & 7)) << 4);
}

__device__ __forceinline__ void copy_async(uint32_t to, const half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;"); }
template <int kLeft>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft));
}

template <int kRows>
__device__ __forceinline__ void load_tile(uint32_t to, const half* from) {
#pragma unroll
  for (int i = 0; i < kRows * kChunks / kThreads; ++i) {
    const int piece = i * kThreads + threadIdx.x;
    const int row = piece / kChunks, chunk = piece % kChunks;
    copy_async(to + swizzled(row, chunk), from + row * kHead + chunk * 8);
  }
}

__device__ __forceinline__ void load_matrices(uint32_t (&to)[4], uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}
__device__ __forceinline__ void load_transposed(uint32_t (&to)[4], uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(from));
}
__device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                         uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t pack(float low, float high) {
  const half2 both = __floats2half2_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&both);
}

using Scores = float[kStrips][kKeyRows / 8][4];
using Output = float[kStrips][kHead / 8][4];

// S = Q K^T for the warp's 32 rows and the tile's 64 keys.
__device__ __forceinline__ void score(Scores& s, const uint32_t (&q)[kStrips][4][4],
                                      uint32_t keys) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < kKeyRows / 8; n += 2) {
#pragma unroll
    for (int d = 0; d < kHead / 16; ++d) {
      uint32_t b[4];
      load_matrices(b, keys + swizzled(n * 8 + (lane / 16) * 8 + lane % 8, d * 2 + lane / 8 % 2));
#pragma unroll
      for (int strip = 0; strip < kStrips; ++strip) {
        multiply(s[strip][n], q[strip][d], b[0], b[1]);
        multiply(s[strip][n + 1], q[strip][d], b[2], b[3]);
      }
    }
  }
}

// O += P V, P in the registers that held S.
__device__ __forceinline__ void accumulate(Output& o, const Scores& p, uint32_t values) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < kKeyRows / 16; ++k) {
    uint32_t a[kStrips][4];
#pragma unroll
    for (int strip = 0; strip < kStrips; ++strip) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float* pair = &p[strip][2 * k + i / 2][i % 2 * 2];
        a[strip][i] = pack(pair[0], pair[1]);
      }
    }
#pragma unroll
    for (int n = 0; n < kHead / 8; n += 2) {
      uint32_t b[4];
      load_transposed(b, values + swizzled(k * 16 + lane % 16, n + lane / 16));
#pragma unroll
      for (int strip = 0; strip < kStrips; ++strip) {
        multiply(o[strip][n], a[strip], b[0], b[1]);
        multiply(o[strip][n + 1], a[strip], b[2], b[3]);
      }
    }
  }
}

// The largest and the sum over a row's four lanes.
__device__ __forceinline__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ __forceinline__ float row_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

// One row (half 0: row g, half 1: row g + 8 of the strip) of the online softmax.
__device__ __forceinline__ void soften(float (&s)[kKeyRows / 8][4], float (&o)[kHead / 8][4],
                                       int part, float& largest, float& sum, float scale) {
  float seen = largest;
#pragma unroll
  for (int n = 0; n < kKeyRows / 8; ++n)
    seen = fmaxf(seen, fmaxf(s[n][part * 2], s[n][part * 2 + 1]));
  seen = row_max(seen);
  const float shrink = exp2f((largest - seen) * scale);
  largest = seen;
  sum *= shrink;
#pragma unroll
  for (int n = 0; n < kHead / 8; ++n) {
    o[n][part * 2] *= shrink;
    o[n][part * 2 + 1] *= shrink;
  }
#pragma unroll
  for (int n = 0; n < kKeyRows / 8; ++n) {
#pragma unroll
    for (int i = part * 2; i < part * 2 + 2; ++i) {
      s[n][i] = exp2f((s[n][i] - seen) * scale);
      sum += s[n][i];
    }
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    flash_attention(const half* q, const half* k, const half* v, half* out, float* lse, int length,
                    float scale) {
  __shared__ Shared shared;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const size_t head = size_t(blockIdx.y) * length * kHead;
  const int first_row = blockIdx.x * kQueryRows;
  const uint32_t q_tile = __cvta_generic_to_shared(shared.q);
  const uint32_t k_tiles = __cvta_generic_to_shared(shared.k);
  const uint32_t v_tiles = __cvta_generic_to_shared(shared.v);

  load_tile<kQueryRows>(q_tile, q + head + size_t(first_row) * kHead);
  load_tile<kKeyRows>(k_tiles, k + head);
  load_tile<kKeyRows>(v_tiles, v + head);
  commit();

  uint32_t queries[kStrips][kHead / 16][4];
  Output o = {};
  float largest[kStrips][2], sum[kStrips][2] = {};
#pragma unroll
  for (int strip = 0; strip < kStrips; ++strip) largest[strip][0] = largest[strip][1] = -1e30f;

  const int tiles = length / kKeyRows;
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    if (tile + 1 < tiles) {
      const size_t next = head + size_t(tile + 1) * kKeyRows * kHead;
      load_tile<kKeyRows>(k_tiles + (stage ^ 1) * kTileBytes, k + next);
      load_tile<kKeyRows>(v_tiles + (stage ^ 1) * kTileBytes, v + next);
    }
    commit();
    wait<1>();
    __syncthreads();
    if (tile == 0) {
#pragma unroll
      for (int strip = 0; strip < kStrips; ++strip)
#pragma unroll
        for (int d = 0; d < kHead / 16; ++d)
          load_matrices(queries[strip][d],
                        q_tile + swizzled(warp * 32 + strip * 16 + lane % 16, d * 2 + lane / 16));
    }
    Scores s = {};
    score(s, queries, k_tiles + stage * kTileBytes);
#pragma unroll
    for (int strip = 0; strip < kStrips; ++strip) {
      soften(s[strip], o[strip], 0, largest[strip][0], sum[strip][0], scale * kLog2e);
      soften(s[strip], o[strip], 1, largest[strip][1], sum[strip][1], scale * kLog2e);
    }
    accumulate(o, s, v_tiles + stage * kTileBytes);
    __syncthreads();
  }

  // Each warp's 32 rows go through its own part of Q's shared memory, so that a row leaves whole.
  char* rows = reinterpret_cast<char*>(shared.q);
#pragma unroll
  for (int strip = 0; strip < kStrips; ++strip) {
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const int row = warp * 32 + strip * 16 + part * 8 + lane / 4;
      const float total = row_sum(sum[strip][part]);
      const float inverse = 1.0f / total;
#pragma unroll
      for (int n = 0; n < kHead / 8; ++n) {
        *reinterpret_cast<uint32_t*>(rows + swizzled(row, n) + lane % 4 * 4) =
            pack(o[strip][n][part * 2] * inverse, o[strip][n][part * 2 + 1] * inverse);
      }
      if (lane % 4 == 0) {
        lse[size_t(blockIdx.y) * length + first_row + row] =
            largest[strip][part] * scale + __logf(total);  // as FlashAttention-2: no branch
      }
    }
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 32 * kChunks / 32; ++i) {
    const int piece = i * 32 + lane;
    const int row = warp * 32 + piece / kChunks, chunk = piece % kChunks;
    *reinterpret_cast<uint4*>(out + head + size_t(first_row + row) * kHead + chunk * 8) =
        *reinterpret_cast<const uint4*>(rows + swizzled(row, chunk));
  }
}
