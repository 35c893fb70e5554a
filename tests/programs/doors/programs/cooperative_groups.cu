// Tiles of threads: reductions and broadcasts through cooperative groups.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

template <class Group>
__device__ int sum(const Group& group, int value) {
  for (int step = group.size() / 2; step > 0; step /= 2) value += group.shfl_down(value, step);
  return group.shfl(value, 0);
}

__global__ void tiles(const int* in, int* warp, int* quarter) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile32 = cg::tiled_partition<32>(block);
  const auto tile8 = cg::tiled_partition<8>(tile32);
  const int i = blockIdx.x * blockDim.x + block.thread_rank(), value = in[i];
  const int all = sum(tile32, value), part = sum(tile8, value);
  if (tile32.thread_rank() == 0) warp[i / 32] = all;
  if (tile8.thread_rank() == 0) quarter[i / 8] = part;
}

int main() {
  const int n = 2048;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int>(any_float(i) * 1000);
  int *device = to_device(in), *warp = nullptr, *quarter = nullptr;
  CHECK(cudaMalloc(&warp, n / 32 * sizeof(int)));
  CHECK(cudaMalloc(&quarter, n / 8 * sizeof(int)));
  tiles<<<n / 256, 256>>>(device, warp, quarter);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> a = to_host(warp, n / 32), b = to_host(quarter, n / 8);
  bool good = true;
  for (int i = 0, w = 0, q = 0; i < n; ++i) {
    w += in[i], q += in[i];
    if (i % 32 == 31) good &= a[i / 32] == w, w = 0;
    if (i % 8 == 7) good &= b[i / 8] == q, q = 0;
  }
  return verdict(good);
}
