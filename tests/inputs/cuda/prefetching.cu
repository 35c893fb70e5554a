// Prefetches, priorities, discards, uniform loads.
extern "C" __global__ void prefetching(const float* in, float* out) {
  asm volatile("prefetch.global.L1 [%0]; prefetch.global.L2 [%0]; prefetchu.L1 [%0];" ::"l"(in));
  float u;
  asm volatile("ldu.global.f32 %0, [%1];" : "=f"(u) : "l"(in));
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "prefetch.global.L2::evict_last [%0]; applypriority.global.L2::evict_normal [%0], 128;" ::"l"(
          in));
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(out));
#endif
  out[threadIdx.x] = u;
}
