// An fp8 product (B transposed) of 4 warps on 128 x 128: two swizzled stages of 64 bytes of K, the next step's registers loaded while
// this step's mma run.
#include "mma.cuh"

namespace {

struct Parts {
  unsigned a[4][4], b[4][4];
};

__device__ __forceinline__ void mma_e4m3(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ int place(int row, int chunk) { return row * 64 + (chunk ^ (row / 2 % 4)) * 16; }

// Step 0 or 1 of a stage: rows of 32 bytes, chunks 2 step and 2 step + 1.
__device__ __forceinline__ void load_parts(Parts& p, const char* a, const char* b, int warp_row, int warp_column, int step) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) load_x4(p.a[i], a + place(warp_row + i * 16 + lane % 16, step * 2 + lane / 16));
#pragma unroll
  for (int i = 0; i < 4; ++i) load_x4(p.b[i], b + place(warp_column + i * 16 + lane % 8 + lane / 16 * 8, step * 2 + lane / 8 % 2));
}

__device__ __forceinline__ void multiply(float (&sum)[4][8][4], const Parts& p) {
#pragma unroll
  for (int i = 0; i < 32; ++i) mma_e4m3(sum[i / 8][i % 8], p.a[i / 8], p.b[i % 8 / 2][i % 2 * 2], p.b[i % 8 / 2][i % 2 * 2 + 1]);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128) fp8_two_stages(const char* a, const char* b, float* c, int m, int n, int k) {
  extern __shared__ __align__(16) char stages[];  // 2 x (A 128 x 64, B 128 x 64)
  const int t = threadIdx.x, lane = t % 32, warp_row = t / 64 * 64, warp_column = t / 32 % 2 * 64;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128, slabs = k / 64;
  const auto stage_a = [&](int slab) { return stages + slab % 2 * 16384; };
  const auto stage_b = [&](int slab) { return stages + slab % 2 * 16384 + 8192; };
  const auto copy = [&](int slab) {
    if (slab < slabs) {
      for (int i = t; i < 512; i += 128) copy_async<false>(stage_a(slab) + place(i / 4, i % 4), a + static_cast<size_t>(row + i / 4) * k + slab * 64 + i % 4 * 16);
      for (int i = t; i < 512; i += 128) copy_async<false>(stage_b(slab) + place(i / 4, i % 4), b + static_cast<size_t>(column + i / 4) * k + slab * 64 + i % 4 * 16);
    }
    commit();
  };
  float sum[4][8][4] = {};
  Parts parts[2];
  copy(0);
  copy(1);
  wait<1>();
  __syncthreads();
  load_parts(parts[0], stage_a(0), stage_b(0), warp_row, warp_column, 0);
  for (int slab = 0; slab < slabs; ++slab) {
    load_parts(parts[1], stage_a(slab), stage_b(slab), warp_row, warp_column, 1);
    multiply(sum, parts[0]);
    wait<0>();
    __syncthreads();
    copy(slab + 2);
    load_parts(parts[0], stage_a(slab + 1), stage_b(slab + 1), warp_row, warp_column, 0);
    multiply(sum, parts[1]);
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const int r = row + warp_row + i / 8 * 16 + lane / 4, col = column + warp_column + i % 8 * 8 + lane % 4 * 2;
    const float(&d)[4] = sum[i / 8][i % 8];
    *reinterpret_cast<float2*>(c + static_cast<size_t>(r) * n + col) = make_float2(d[0], d[1]);
    *reinterpret_cast<float2*>(c + static_cast<size_t>(r + 8) * n + col) = make_float2(d[2], d[3]);
  }
}
