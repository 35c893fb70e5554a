// Dense matrices: transposes, products on cores and tensor cores.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda;
extern "C" {
__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void matmul_naive(const float* a, const float* b, float* c, int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float s = 0;
  for (int i = 0; i < k; ++i) s += a[row * k + i] * b[i * n + col];
  c[row * n + col] = s;
}
__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float s = 0;
  for (int t = 0; t < n; t += 16) {
    as[ty][tx] = a[row * n + t + tx]; bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < 16; ++k) s += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * n + col] = s;
}
__global__ void matmul_registers(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][64], bs[8][64];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float s[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
    for (int e = t; e < 512; e += 256) { as[e % 8][e / 8] = a[(blockIdx.y * 64 + e / 8) * n + k0 + e % 8]; bs[e / 64][e % 64] = b[(k0 + e / 64) * n + blockIdx.x * 64 + e % 64]; }
    __syncthreads();
    for (int k = 0; k < 8; ++k)
      for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) s[i][j] += as[k][ty * 4 + i] * bs[k][tx * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4 + j] = s[i][j];
}
__global__ void matmul_wmma(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  int row = blockIdx.y * 16, col = blockIdx.x * 16;
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + col * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + row * n + col, fc, n, wmma::mem_row_major);
}
__global__ void matmul_int8(const signed char* a, const signed char* b, int* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> fc;
  wmma::fill_fragment(fc, 3);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_col_major);
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
__global__ void matmul_tf32(const float* a, const float* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 16);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void matmul_mma(const half* a, const half* b, float* c) {  // 16 x 8 x 16, B given by columns
  __shared__ half as[16 * 16], bs[8 * 16];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) as[i] = a[i];
  for (int i = t; i < 128; i += 32) bs[i] = b[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  unsigned pa = __cvta_generic_to_shared(as + (t % 16) * 16 + t / 16 * 8), pb = __cvta_generic_to_shared(bs + t % 8 * 16 + t / 8 % 2 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(pa));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(rb[0]), "=r"(rb[1]) : "r"(pb));
  float d[4] = {1, 1, 1, 1};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(t / 4 + i / 2 * 8) * 8 + t % 4 * 2 + i % 2] = d[i];
}
__global__ void matmul_double(const double* a, const double* b, double* c) {  // 8 x 8 x 4 tensor cores
  int t = threadIdx.x;
  double d0 = 0, d1 = 0;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d0), "+d"(d1) : "d"(a[t / 4 * 4 + t % 4]), "d"(b[t % 4 * 8 + t / 4]));
  c[t / 4 * 8 + t % 4 * 2] = d0;
  c[t / 4 * 8 + t % 4 * 2 + 1] = d1;
}
#endif
// Seed: "Accelerating fused WMMA operations via in-register data permutation", algorithm 1.
__global__ void tracer(float* out) {
  __shared__ half traced[256], identity[256];
  int t = threadIdx.y * 16 + threadIdx.x;
  traced[t] = __float2half((float)(threadIdx.y * 100 + threadIdx.x));
  identity[t] = __float2half(threadIdx.x == threadIdx.y ? 1.0f : 0.0f);
  __syncthreads();
  if (t >= 32) return;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  wmma::load_matrix_sync(a, traced, 16);
  wmma::load_matrix_sync(b, identity, 16);
  wmma::mma_sync(acc, a, b, acc);
  for (int i = 0; i < 8; ++i) out[t * 8 + i] = acc.x[i];
}
// The row maxima of a product, in registers and through shared memory.
__global__ void row_maxima(const half* a, const half* b, float* in_registers, float* through_shared) {
  __shared__ float tile[256];
  int lane = threadIdx.x;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(acc, fa, fb, acc);
  wmma::store_matrix_sync(tile, acc, 16, wmma::mem_row_major);
  __syncwarp();
  if (lane < 16) { float m = tile[lane * 16]; for (int j = 1; j < 16; ++j) m = fmaxf(m, tile[lane * 16 + j]); through_shared[lane] = m; }
  float low = fmaxf(fmaxf(acc.x[0], acc.x[1]), fmaxf(acc.x[4], acc.x[5]));
  float high = fmaxf(fmaxf(acc.x[2], acc.x[3]), fmaxf(acc.x[6], acc.x[7]));
  unsigned quad = 0xfu << (lane / 4 * 4);
  for (int k = 1; k < 4; k *= 2) { low = fmaxf(low, __shfl_xor_sync(quad, low, k)); high = fmaxf(high, __shfl_xor_sync(quad, high, k)); }
  if (lane % 4 == 0) { in_registers[lane / 4] = low; in_registers[lane / 4 + 8] = high; }
}
}
