// Votes, matches, reductions and elections of a warp.
extern "C" __global__ void warp_reductions(const int* in, unsigned long long* out) {
  const int x = in[threadIdx.x];
  int p = 0;
  unsigned long long r =
      __match_any_sync(0xffffffff, x) + __match_all_sync(0xffffffff, static_cast<long long>(x), &p);
  r += __ballot_sync(0xffffffff, x > 3) + __all_sync(0xffff, x) + __any_sync(0xffff, x) + p +
       __activemask();
  r += __shfl_up_sync(0xffffffff, x, 3, 8) +
       __shfl_xor_sync(0xffffffff, static_cast<double>(x), 7) + __shfl_sync(0xff, x, 2, 16);
#if __CUDA_ARCH__ >= 800
  r += __reduce_add_sync(0xffffffff, x) + __reduce_max_sync(0xffffffff, static_cast<unsigned>(x)) +
       __reduce_xor_sync(0xffffffff, static_cast<unsigned>(x));
#endif
#if __CUDA_ARCH__ >= 900
  unsigned leader;
  asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; }" : "=r"(leader));
  r += leader;
#endif
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  float f;
  asm volatile("redux.sync.min.abs.NaN.f32 %0, %1, 0xffffffff;"
               : "=f"(f)
               : "f"(static_cast<float>(x)));
  r += f > 1;
#endif
  out[threadIdx.x] = r;
}
