// Which 16 x 16 of the product a warp makes: a block's warps stand 2 x 4.
#pragma once

struct Warp {
  int lane, index, row, column, batch;
};
__device__ __forceinline__ Warp this_warp() {
  const int thread = threadIdx.x, warp = thread / 32;
  return {thread % 32, warp, static_cast<int>(blockIdx.y) * 32 + warp / 4 * 16,
          static_cast<int>(blockIdx.x) * 64 + warp % 4 * 16, static_cast<int>(blockIdx.z)};
}
