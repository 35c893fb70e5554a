// A barrier of the whole grid, dependent launches, cluster launch control.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void grid_sync(int* data) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
  cg::this_grid().sync();
  const auto multi = cg::tiled_partition<4>(cg::this_thread_block());
  data[threadIdx.x] = data[gridDim.x - 1] + multi.meta_group_rank();
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
#if __CUDA_ARCH__ >= 1000
  __shared__ alignas(16) uint4 answer;
  __shared__ unsigned long long barrier;
  const unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(&answer)),
                 b = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  asm volatile(
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], "
      "[%1];" ::"r"(a),
      "r"(b)
      : "memory");
#endif
}
