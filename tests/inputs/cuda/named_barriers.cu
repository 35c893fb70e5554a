// Named, counted and reducing barriers.
extern "C" __global__ void named_barriers(int* out) {
  const int t = threadIdx.x;
  if (t < 32)
    asm volatile("barrier.cta.sync.aligned 3, 64;" ::: "memory");
  else if (t < 64)
    asm volatile("barrier.cta.arrive.aligned 3, 64;" ::: "memory");
  int r = __syncthreads_count(t & 1) + __syncthreads_and(t > 3) + __syncthreads_or(t == 5);
  unsigned p;
  asm volatile(
      "{ .reg .pred a, b; setp.ne.u32 a, %1, 0; barrier.cta.red.and.aligned.pred b, 2, 128, a; "
      "selp.u32 %0, 1, 0, b; }"
      : "=r"(p)
      : "r"(t));
  __syncwarp(0xffffffff);
  asm volatile("bar.sync %0, %1;" ::"r"(t * 0 + 4), "r"(128) : "memory");
  out[t] = r + p;
}
