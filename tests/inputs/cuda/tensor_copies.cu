// sm_90: tensor copies and their descriptors, multicast, reductions to global memory.
extern "C" __global__ void tensor_copies(const void* map, const int* in, int* out, int x, int y) {
#if __CUDA_ARCH__ >= 900
  __shared__ alignas(128) int tile[1024];
  __shared__ unsigned long long barrier;
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(tile)),
                 bar = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile("prefetch.tensormap [%0];" ::"l"(map));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.proxy.async.shared::cta;" ::"r"(bar));
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], 4096;" ::"r"(bar));
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3}], [%4];" ::"r"(at),
      "l"(map), "r"(x), "r"(y), "r"(bar)
      : "memory");
  asm volatile(
      "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::"
      "cluster [%0], [%1, {%2}], [%3], %4;" ::"r"(at),
      "l"(map), "r"(x), "r"(bar), "h"(static_cast<short>(3))
      : "memory");
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 p, [%0], 0, 100; }" ::
          "r"(bar)
      : "memory");
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(at)
      : "memory");
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 64;" ::"l"(out),
      "r"(at)
      : "memory");
  asm volatile(
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;" ::
          : "memory");
  asm volatile("fence.proxy.tensormap::generic.acquire.gpu [%0], 128;" ::"l"(map) : "memory");
#else
  out[0] = in[0] + x + y;
#endif
}
