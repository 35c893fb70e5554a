// A warp copies tiles of 1 KiB into two stages, another one adds them up.
#include <cstdint>

constexpr int kStages = 2, kFloats = 256;

__device__ uint32_t address(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ void make_barrier(const void* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(arrivals)
               : "memory");
}
__device__ void wait_for(const void* barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\n"
      "AGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra.uni DONE;\nbra.uni AGAIN;\nDONE:\n}" ::"r"(address(barrier)),
      "r"(parity)
      : "memory");
}

extern "C" __global__ void pipeline(const float* from, float* sums, int tiles) {
  __shared__ alignas(128) float stage[kStages][kFloats];
  __shared__ unsigned long long full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      make_barrier(&full[i], 1);
      make_barrier(&empty[i], 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int tile = 0; tile < tiles; ++tile) {
      const int at = tile % kStages;
      wait_for(&empty[at], (tile / kStages & 1) ^ 1);
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(
                       address(&full[at]))
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, "
          "[%2];" ::"r"(address(stage[at])),
          "l"(from + (blockIdx.x * tiles + tile) * kFloats), "r"(address(&full[at]))
          : "memory");
    }
  } else if (threadIdx.x >= 32) {
    float sum = 0;
    for (int tile = 0; tile < tiles; ++tile) {
      const int at = tile % kStages;
      wait_for(&full[at], tile / kStages & 1);
      for (int i = threadIdx.x % 32; i < kFloats; i += 32) sum += stage[at][i];
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&empty[at]))
                   : "memory");
    }
    sums[blockIdx.x * 32 + threadIdx.x % 32] = sum;
  }
}
