// Loads and stores with cache operators, eviction priorities and policies.
extern "C" __global__ void cache_hints(const float4* in, float4* out, int* i) {
  float4 x = __ldg(in + threadIdx.x);
  x.x +=
      __ldcg(&in[1].x) + __ldca(&in[2].y) + __ldcs(&in[3].z) + __ldlu(&in[4].w) + __ldcv(&in[5].x);
  __stcg(out + threadIdx.x, x);
  __stcs(out + threadIdx.x + 1, x);
  __stwt(out + threadIdx.x + 2, x);
  __stwb(i, 3);
#if __CUDA_ARCH__ >= 800
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(policy));
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.L2::256B.v4.f32 {%0,%1,%2,%3}, [%4], %5;"
               : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w)
               : "l"(in + 9), "l"(policy));
  asm volatile("st.global.L1::evict_first.L2::cache_hint.v2.f32 [%0], {%1,%2}, %3;" ::"l"(out + 9),
               "f"(x.x), "f"(x.w), "l"(policy));
#endif
}
