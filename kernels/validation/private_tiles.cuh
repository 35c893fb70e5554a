// Which 16 x 16 of the product a warp makes: a block's warps stand 2 x 4.
#pragma once

struct Warp {
  int lane, index, row, column;
};
__device__ __forceinline__ Warp this_warp() {
  const int warp = threadIdx.x / 32;
  return {static_cast<int>(threadIdx.x) % 32, warp, static_cast<int>(blockIdx.y) * 32 + warp / 4 * 16,
          static_cast<int>(blockIdx.x) * 64 + warp % 4 * 16};
}
