// A cooperative launch: the whole grid meets between two phases.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void two_phases(const int* in, int* partial, int* total, int n) {
  const cg::grid_group grid = cg::this_grid();
  int mine = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += in[i];
  atomicAdd(&partial[blockIdx.x], mine);
  grid.sync();
  if (grid.thread_rank() == 0)
    for (int b = 0; b < gridDim.x; ++b) *total += partial[b];
}

int main() {
  int n = 5000, blocks = 0, device = 0, can = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, two_phases, 128, 0));
  std::vector<int> in(n, 3);
  int *din = to_device(in), *partial = to_device(std::vector<int>(16, 0)),
      *total = to_device(std::vector<int>(1, 0));
  void* arguments[] = {&din, &partial, &total, &n};
  CHECK(cudaLaunchCooperativeKernel((void*)two_phases, 16, 128, arguments, 0, 0));
  CHECK(cudaDeviceSynchronize());
  return verdict(can == 1 && blocks > 0 && to_host(total, 1)[0] == 3 * n);
}
