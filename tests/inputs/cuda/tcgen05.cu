// sm_100a: tensor memory, its copies, products and loads.
extern "C" __global__ void tcgen05(unsigned long long a, unsigned long long b, unsigned idesc,
                                   unsigned* out) {
#if defined(__CUDA_ARCH_FEAT_SM100_ALL)
  __shared__ unsigned at;
  __shared__ unsigned long long barrier;
  const unsigned where = static_cast<unsigned>(__cvta_generic_to_shared(&at)),
                 bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(where)
               : "memory");
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  asm volatile("tcgen05.cp.cta_group::1.128x256b [%0], %1;" ::"r"(at), "l"(a) : "memory");
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %3, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, "
      "p; }" ::"r"(at),
      "l"(a), "l"(b), "r"(idesc)
      : "memory");
  asm volatile(
      "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(bar)
      : "memory");
  asm volatile("tcgen05.fence::after_thread_sync; tcgen05.fence::before_thread_sync;" ::: "memory");
  unsigned r[4];
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0,%1,%2,%3}, [%4]; tcgen05.wait::ld.sync.aligned;"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(at));
  asm volatile(
      "tcgen05.st.sync.aligned.16x64b.x1.b32 [%0], {%1}; tcgen05.wait::st.sync.aligned;" ::"r"(at),
      "r"(r[0]));
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(at));
  out[threadIdx.x] = r[0] + r[3];
#else
  out[threadIdx.x] = static_cast<unsigned>(a + b) + idesc;
#endif
}
