// Loads and stores with cache operators, hints and prefetches.
extern "C" __global__ void caches(const float* __restrict__ in, float* out, const uint4* wide) {
  const int i = threadIdx.x;
  float r = __ldg(in + i) + __ldca(in + i + 1) + __ldcg(in + i + 2) + __ldcs(in + i + 3) + __ldlu(in + i + 4) +
            __ldcv(in + i + 5);
  const uint4 w = __ldg(wide + i);
  __stwb(out + i, r);
  __stcg(out + i + 1, r + w.x);
  __stcs(out + i + 2, r + w.y);
  __stwt(out + i + 3, r + w.z);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + 64));
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.f32 %0, [%1];" : "=f"(r) : "l"(in + 128));
  out[i + 4] = r;
}
