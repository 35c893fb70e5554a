// sm_90: atomics on vectors and on 128 bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void vector_atomics(float4* f, float2* g, __half2* h, __nv_bfloat162* b,
                                          uint4* q) {
#if __CUDA_ARCH__ >= 900
  const float4 old = atomicAdd(f, make_float4(1, 2, 3, 4));
  atomicAdd(g, make_float2(old.x, old.y));
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};" ::"l"(h), "r"(0x3c003c00));
  asm volatile("red.global.max.noftz.v2.bf16x2 [%0], {%1, %1};" ::"l"(b), "r"(0x3f803f80));
  asm volatile(
      "{ .reg .b128 x, y, z; mov.b128 x, {%1, %1}; mov.b128 y, {%2, %2}; atom.global.cas.b128 z, "
      "[%0], x, y;"
      " atom.acq_rel.gpu.global.exch.b128 z, [%0], x; }" ::"l"(q),
      "l"(1ll), "l"(2ll)
      : "memory");
#else
  atomicAdd(h, __floats2half2_rn(1, 2));
  if (threadIdx.x == 0) q->x = g->x + f->x;
#if __CUDA_ARCH__ >= 800
  atomicAdd(b, __floats2bfloat162_rn(1, 2));
#endif
#endif
}
