// C = A B^T in bf16 by tcgen05.mma, 128 x 64 outputs a block of 128 threads, nothing overlapped: every thread copies a slab of 64 columns
// element by element into shared memory (128-byte swizzle), one thread starts the products, all wait for them.
#include <cuda_bf16.h>

#include <cstdint>

#include "mma.cuh"

namespace {

constexpr int kRows = 128, kColumns = 64, kSlab = 64, kThreads = 128;
// f32 sums of bf16 products, 128 x 64.
constexpr uint32_t kProduct = 1u << 4 | 1u << 7 | 1u << 10 | (64u >> 3) << 17 | (128u >> 4) << 24;

// 128-byte swizzle, 1024 bytes from 8 rows to the next.
__device__ uint64_t descriptor(uint32_t address) {
  return uint64_t{(address & 0x3ffff) >> 4} | uint64_t{1} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 46 | uint64_t{2} << 61;
}
template <int kCount>
__device__ void copy_slab(__nv_bfloat16* to, const __nv_bfloat16* from, int pitch) {
  for (int i = threadIdx.x; i < kCount * kSlab; i += kThreads) {
    const int row = i / kSlab, column = i % kSlab;
    to[row * kSlab + ((column / 8) ^ (row & 7)) * 8 + column % 8] = from[row * pitch + column];
  }
}
__device__ void start_products(uint32_t to, uint64_t a, uint64_t b, uint32_t barrier, bool adds) {
#pragma unroll
  for (int k = 0; k < kSlab / 16; ++k) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}" ::"r"(to), "l"(a + 2 * k),
                 "l"(b + 2 * k), "r"(kProduct), "r"(int(adds || k > 0))
                 : "memory");
  }
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier) : "memory");
}
__device__ void wait_for(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra.uni DONE;\nbra.uni AGAIN;\nDONE:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

#define EIGHT(x, i) "=r"(x[i]), "=r"(x[i + 1]), "=r"(x[i + 2]), "=r"(x[i + 3]), "=r"(x[i + 4]), "=r"(x[i + 5]), "=r"(x[i + 6]), "=r"(x[i + 7])
/// 32 columns of the thread's row.
__device__ void load_columns(uint32_t (&x)[32], uint32_t at) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];\ntcgen05.wait::ld.sync.aligned;"
      : EIGHT(x, 0), EIGHT(x, 8), EIGHT(x, 16), EIGHT(x, 24)
      : "r"(at)
      : "memory");
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    tcgen05_one_by_one(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* c, int m, int n, int k) {
  __shared__ alignas(1024) __nv_bfloat16 slab_a[kRows * kSlab], slab_b[kColumns * kSlab];
  __shared__ struct {
    uint32_t columns;
    uint64_t done;
  } shared;
  const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns, warp = threadIdx.x / 32;
  const uint32_t barrier = shared_address(&shared.done);
  if (warp == 0) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(shared_address(&shared.columns)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  }
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  __syncthreads();
  const uint32_t sums = shared.columns;
  for (int slab = 0; slab < k / kSlab; ++slab) {
    copy_slab<kRows>(slab_a, a + row * k + slab * kSlab, k);
    copy_slab<kColumns>(slab_b, b + column * k + slab * kSlab, k);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) start_products(sums, descriptor(shared_address(slab_a)), descriptor(shared_address(slab_b)), barrier, slab > 0);
    wait_for(barrier, slab & 1);
    __syncthreads();
  }
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  __nv_bfloat16* to = c + (row + threadIdx.x) * n + column;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    uint32_t x[32];
    load_columns(x, sums + (uint32_t(warp) * 32 << 16) + 32 * part);
#pragma unroll
    for (int i = 0; i < 32; ++i) to[32 * part + i] = __float2bfloat16(__uint_as_float(x[i]));
  }
  __syncthreads();
  if (warp == 0) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(sums) : "memory");
}
