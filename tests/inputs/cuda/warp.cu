// Votes, matches, shuffles of every kind, warp reductions, active masks.
extern "C" __global__ void warp(const int* in, unsigned* out) {
  const int x = in[threadIdx.x];
  unsigned r = __ballot_sync(~0u, x > 0) + __all_sync(~0u, x > 1) + __any_sync(~0u, x > 2);
  r += __shfl_sync(~0u, x, 3) + __shfl_up_sync(~0u, x, 1, 16) + __shfl_xor_sync(~0u, x, 5, 8);
  r += __match_any_sync(~0u, x) + __activemask() + __fns(r, 0, 2);
  int all = 0;
  r += __match_all_sync(~0u, x, &all) + all;
  __syncwarp();
#if __CUDA_ARCH__ >= 800
  r += __reduce_add_sync(~0u, x) + __reduce_xor_sync(~0u, r) + __reduce_max_sync(~0u, x);
#endif
  unsigned lane, below;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  out[threadIdx.x] = r + lane + __popc(below);
}
