// Half-precision products on tensor cores: wmma straight from global memory, and mma.sync fed by ldmatrix from
// tiles of shared memory, plain, padded or swizzled.
#include <cuda_fp16.h>
#include <mma.h>

// One warp makes 16 x 16.
extern "C" __global__ void wmma_from_global(const half* a, const half* b, float* c, int m, int n, int k) {
  using namespace nvcuda::wmma;
  const int row = blockIdx.y * 16, column = blockIdx.x * 16;
  fragment<matrix_a, 16, 16, 16, half, row_major> part_a;
  fragment<matrix_b, 16, 16, 16, half, row_major> part_b;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    load_matrix_sync(part_a, a + row * k + i, k);
    load_matrix_sync(part_b, b + i * n + column, n);
    mma_sync(sum, part_a, part_b, sum);
  }
  store_matrix_sync(c + row * n + column, sum, n, mem_row_major);
}

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
namespace {

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

__device__ void load_a(unsigned (&r)[4], const half* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(shared_address(p)));
}

__device__ void load_b(unsigned (&r)[2], const half* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(p)));
}

__device__ void multiply(unsigned (&c)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
               : "+r"(c[0]), "+r"(c[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__device__ void copy16(half* to, const half* from) { *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(from); }

// Rows of 16 halves are two chunks of 8; every fourth row swaps them.
__device__ int swizzled(int row, int column) { return ((column / 8) ^ (row / 4)) % 2 * 8; }

}  // namespace

// One warp makes 16 x 8.
extern "C" __global__ void mma_one_warp_swizzled(const half* a, const half* b, half* c, int m, int n, int k) {
  __shared__ __align__(16) half tile_a[16][16], tile_b[16][8], tile_c[16][8];
  const int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
  unsigned sum[2] = {0, 0};
  for (int i = 0; i < k; i += 16) {
    copy16(&tile_a[lane / 2][swizzled(lane / 2, lane % 2 * 8)], a + (row + lane / 2) * k + i + lane % 2 * 8);
    if (lane < 16) copy16(tile_b[lane], b + (i + lane) * n + column);
    __syncthreads();
    unsigned part_a[4], part_b[2];
    load_a(part_a, &tile_a[lane % 16][swizzled(lane % 16, lane / 16 * 8)]);
    load_b(part_b, tile_b[lane % 16]);
    multiply(sum, part_a, part_b);
    __syncthreads();
  }
  *reinterpret_cast<unsigned*>(&tile_c[lane / 4][lane % 4 * 2]) = sum[0];
  *reinterpret_cast<unsigned*>(&tile_c[lane / 4 + 8][lane % 4 * 2]) = sum[1];
  __syncthreads();
  if (lane < 16) copy16(c + (row + lane) * n + column, tile_c[lane]);
}

// Eight warps make 128 x 128, each 64 x 32.
template <bool kSwizzled, int kPadB>
__device__ void mma_tile(const half* a, const half* b, half* c, int m, int n, int k) {
  __shared__ __align__(16) half tile_a[128][16], tile_b[16][128 + kPadB];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, warp_m = warp % 2, warp_n = warp / 2;
  const int row = blockIdx.y * 128, column = blockIdx.x * 128;
  const auto place = [](int r, int col) { return kSwizzled ? swizzled(r, col) : col; };
  unsigned sum[4][4][2] = {};
  for (int i = 0; i < k; i += 16) {
    copy16(&tile_a[t / 2][place(t / 2, t % 2 * 8)], a + (row + t / 2) * k + i + t % 2 * 8);
    copy16(&tile_b[t / 16][t % 16 * 8], b + (i + t / 16) * n + column + t % 16 * 8);
    __syncthreads();
    unsigned part_a[4][4], part_b[4][2];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int r = warp_m * 64 + j * 16 + lane % 16;
      load_a(part_a[j], &tile_a[r][place(r, lane / 16 * 8)]);
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) load_b(part_b[j], &tile_b[lane % 16][warp_n * 32 + j * 8]);
#pragma unroll
    for (int j = 0; j < 16; ++j) multiply(sum[j / 4][j % 4], part_a[j / 4], part_b[j % 4]);
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 32; ++j) {
    const int r = row + warp_m * 64 + j / 8 * 16 + j % 2 * 8 + lane / 4, col = column + warp_n * 32 + j / 2 % 4 * 8;
    *reinterpret_cast<unsigned*>(c + r * n + col + lane % 4 * 2) = sum[j / 8][j / 2 % 4][j % 2];
  }
}

extern "C" __global__ void mma_tile_conflict(const half* a, const half* b, half* c, int m, int n, int k) {
  mma_tile<false, 0>(a, b, c, m, n, k);
}
extern "C" __global__ void mma_tile_swizzled(const half* a, const half* b, half* c, int m, int n, int k) {
  mma_tile<true, 8>(a, b, c, m, n, k);
}
#endif
