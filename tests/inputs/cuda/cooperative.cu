// Cooperative groups: tiles, coalesced groups, scans by shuffles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void cooperative(const int* in, int* out) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const int x = in[block.thread_rank()];
  int r = cg::reduce(tile, x, cg::plus<int>()) + cg::inclusive_scan(tile, x, cg::greater<int>());
  if (x > 0) {
    const auto active = cg::coalesced_threads();
    r += active.size() + active.shfl(x, 0) + active.any(x > 5);
  }
  block.sync();
  out[block.thread_rank()] = r;
}
