// sm_90: clusters, distributed shared memory, mbarriers, bulk copies.
#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>

#include <cuda/ptx>
#include <cuda/std/cstdint>
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(2, 1, 1) clusters(const int* in, int* out) {
  __shared__ int mine[128];
  cg::cluster_group cluster = cg::this_cluster();
  mine[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
  cluster.sync();
  const int* other = cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
  out[blockIdx.x * 128 + threadIdx.x] = other[127 - threadIdx.x];
  cluster.sync();
}

extern "C" __global__ void bulk_copy(const int* in, int* out) {
  __shared__ alignas(128) int tile[256];
  __shared__ alignas(8) cuda::std::uint64_t barrier;
  if (threadIdx.x == 0) {
    cuda::ptx::mbarrier_init(&barrier, 1);
    cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::ptx::cp_async_bulk(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, in, sizeof(tile), &barrier);
    cuda::ptx::mbarrier_arrive_expect_tx(cuda::ptx::sem_release, cuda::ptx::scope_cta, cuda::ptx::space_shared,
                                         &barrier, sizeof(tile));
  }
  while (!cuda::ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  out[threadIdx.x] = tile[255 - threadIdx.x];
}
#else
extern "C" __global__ void no_clusters() {}
#endif
