// mma.sync and ldmatrix as inline PTX, as hand-written kernels use them.
#include <cuda_fp16.h>

extern "C" __global__ void mma_m16n8k8(const __half* a, const __half* b, float* c) {
  __shared__ __align__(16) __half tile[16 * 8];
  for (int i = threadIdx.x; i < 128; i += 32) tile[i] = a[i];
  __syncthreads();
  unsigned ra[2], rb = reinterpret_cast<const unsigned*>(b)[threadIdx.x];
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile + threadIdx.x % 16 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(ra[0]), "=r"(ra[1]) : "r"(address));
  float d[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(rb));
  for (int i = 0; i < 4; ++i) c[threadIdx.x * 4 + i] = d[i];
}

#if __CUDA_ARCH__ >= 800
extern "C" __global__ void mma_m16n8k16(const unsigned* a, const unsigned* b, float* c) {
  unsigned x[4], y[2];
  for (int i = 0; i < 4; ++i) x[i] = a[threadIdx.x * 4 + i];
  for (int i = 0; i < 2; ++i) y[i] = b[threadIdx.x * 2 + i];
  float d[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  int e[4] = {0, 0, 0, 0};
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int i = 0; i < 4; ++i) c[threadIdx.x * 4 + i] = d[i] + e[i];
}
#endif
