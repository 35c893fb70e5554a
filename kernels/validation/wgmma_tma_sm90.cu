// C = A B of halves with float sums by wgmma, 128 x 256 outputs a block: one warp group copies slabs of 64 by TMA into four stages, two
// multiply. Two blocks of a cluster have the same columns and share B's slabs by multicast. 132 blocks take the tiles in turn, along N.
#include <cuda_fp16.h>

#include <cstdint>

#include "mma.cuh"

namespace {

constexpr int kRows = 128, kColumns = 256, kSlab = 64, kStages = 4, kGroup = 128;
constexpr uint32_t kBoxHalves = kSlab * 64, kSlabBytes = (kRows + kColumns) * kSlab * sizeof(half);

struct alignas(64) TensorMap {
  char bytes[128];
};
struct alignas(1024) Shared {
  half a[kStages][kRows * kSlab];
  half b[kStages][kColumns * kSlab];  // four boxes of 64 columns
  unsigned long long full[kStages], empty[kStages];
};

__device__ void make_barrier(const void* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ void expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ void wait_for(uint32_t barrier, uint32_t parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n@done bra.uni DONE;\nbra.uni AGAIN;\nDONE:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
/// At the barrier of block `rank` of the cluster.
__device__ void arrive_at(uint32_t barrier, int rank) {
  asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(barrier),
               "r"(rank)
               : "memory");
}
__device__ void meet_cluster() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }

__device__ void copy_box(uint32_t to, const TensorMap& map, int x, int y, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(x),
               "r"(y), "r"(barrier)
               : "memory");
}
__device__ void copy_box_to_both(uint32_t to, const TensorMap& map, int x, int y, uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(x), "r"(y), "r"(barrier), "h"(uint16_t{3})
      : "memory");
}

// 128-byte swizzle, 1024 bytes from 8 rows to the next; `wide` bytes from 64 columns to the next of an operand that runs along N.
__device__ uint64_t descriptor(uint32_t address, uint32_t wide) {
  return uint64_t{(address & 0x3ffff) >> 4} | uint64_t{wide >> 4} << 16 | uint64_t{1024 >> 4} << 32 | uint64_t{1} << 62;
}

#define EIGHT(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define THIRTY_TWO(d, i) EIGHT(d, i), EIGHT(d, i + 8), EIGHT(d, i + 16), EIGHT(d, i + 24)
__device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
      "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, "
      "%49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, "
      "%78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, "
      "%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, 1, 1, 1, 0, 1;"
      : THIRTY_TWO(d, 0), THIRTY_TWO(d, 32), THIRTY_TWO(d, 64), THIRTY_TWO(d, 96)
      : "l"(a), "l"(b));
}

/// The tiles of a cluster, along N first.
struct Tile {
  int row, column;
  __device__ Tile(int turn, int n) : row((turn / (n / kColumns) * 2 + blockIdx.x) * kRows), column(turn % (n / kColumns) * kColumns) {}
};

__device__ void copy_slabs(Shared& shared, const TensorMap& a, const TensorMap& b, int turns, int n, int k) {
  int step = 0;
  for (int turn = blockIdx.y; turn < turns; turn += gridDim.y) {
    const Tile tile(turn, n);
    for (int slab = 0; slab < k; slab += kSlab, ++step) {
      const int stage = step % kStages;
      const uint32_t full = shared_address(&shared.full[stage]);
      wait_for(shared_address(&shared.empty[stage]), (step / kStages & 1) ^ 1);
      expect(full, kSlabBytes);
      copy_box(shared_address(shared.a[stage]), a, slab, tile.row, full);
      for (int i = 0; i < 2; ++i) {
        const int box = 2 * blockIdx.x + i;
        copy_box_to_both(shared_address(shared.b[stage] + box * kBoxHalves), b, tile.column + 64 * box, slab, full);
      }
    }
  }
}

__device__ void store(const float (&sum)[128], float* c, int row, int column, int n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  float* to = c + static_cast<int64_t>(row + 16 * warp + lane / 4) * n + column + 2 * (lane % 4);
#pragma unroll
  for (int i = 0; i < 128; i += 4) {
    *reinterpret_cast<float2*>(to + 2 * i) = make_float2(sum[i], sum[i + 1]);
    *reinterpret_cast<float2*>(to + 8 * n + 2 * i) = make_float2(sum[i + 2], sum[i + 3]);
  }
}

__device__ void multiply_slabs(Shared& shared, float* c, int turns, int n, int k) {
  const int group = threadIdx.x / kGroup - 1;
  int step = 0;
  for (int turn = blockIdx.y; turn < turns; turn += gridDim.y) {
    const Tile tile(turn, n);
    float sum[128] = {};
    for (int slab = 0; slab < k; slab += kSlab, ++step) {
      const int stage = step % kStages;
      wait_for(shared_address(&shared.full[stage]), step / kStages & 1);
      const uint64_t a = descriptor(shared_address(shared.a[stage] + group * 64 * kSlab), 16);
      const uint64_t b = descriptor(shared_address(shared.b[stage]), kBoxHalves * sizeof(half));
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
      for (int i = 0; i < kSlab / 16; ++i) multiply(sum, a + 2 * i, b + i * (2048 >> 4));
      asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (threadIdx.x % kGroup < 2) arrive_at(shared_address(&shared.empty[stage]), threadIdx.x % kGroup);
    }
    store(sum, c, tile.row + 64 * group, tile.column, n);
  }
}

}  // namespace

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(3 * kGroup)
    wgmma_persistent(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int m, int n, int k) {
  extern __shared__ char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      make_barrier(&shared.full[stage], 1);
      make_barrier(&shared.empty[stage], 4);  // two groups of each block
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  meet_cluster();
  const int turns = m / (2 * kRows) * (n / kColumns);
  if (threadIdx.x < kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) copy_slabs(shared, a, b, turns, n, k);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    multiply_slabs(shared, c, turns, n, k);
  }
  meet_cluster();
}
