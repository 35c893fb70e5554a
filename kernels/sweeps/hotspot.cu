// Heat on a plate of 4096 x 4096 in TEMPORAL_TILING_FACTOR steps a launch: a block keeps its tile with a border of as many cells in shared
// memory and lets the border shrink with every step. A sweep sets the block, the cells a thread, the steps, how far their loop is
// unrolled (LOOP_UNROLL_FACTOR_T), whether the power is kept in shared memory (SH_POWER) and the blocks an SM is to hold.
#ifndef BLOCK_SIZE_X
#define BLOCK_SIZE_X 32
#define BLOCK_SIZE_Y 4
#define TILE_SIZE_X 1
#define TILE_SIZE_Y 4
#define TEMPORAL_TILING_FACTOR 2
#define LOOP_UNROLL_FACTOR_T 1
#define SH_POWER 0
#define BLOCKS_PER_SM 0
#endif

constexpr int kPlate = 4096, kBorder = 10, kPitch = kPlate + 2 * kBorder, kSteps = TEMPORAL_TILING_FACTOR, kUnroll = LOOP_UNROLL_FACTOR_T;
constexpr int kTileX = BLOCK_SIZE_X * TILE_SIZE_X, kTileY = BLOCK_SIZE_Y * TILE_SIZE_Y;
constexpr int kWidth = kTileX + 2 * kSteps, kHeight = kTileY + 2 * kSteps;
constexpr float kAmbient = 80.0f;

#if BLOCKS_PER_SM > 0
#define BOUNDS __launch_bounds__(BLOCK_SIZE_X* BLOCK_SIZE_Y, BLOCKS_PER_SM)
#else
#define BOUNDS
#endif

/// What a plate's cells keep of the launch's constants.
struct Rates {
  float x, y, z, step;
};

/// One step of the cell (y, x) of the block's tile. As in Rodinia's formula, 2.0 is a double: the differences are taken in fp64.
__device__ __forceinline__ float warmed(const float (&now)[kHeight][kWidth], int y, int x, float power, const Rates& rates) {
  const float cell = now[y][x];
  return cell + rates.step * (power + (now[y + 1][x] + now[y - 1][x] - 2.0 * cell) * rates.y + (now[y][x + 1] + now[y][x - 1] - 2.0 * cell) * rates.x +
                              (kAmbient - cell) * rates.z);
}

extern "C" __global__ void BOUNDS hotspot(const float* power, const float* before, float* after, float rate_x, float rate_y, float rate_z, float step) {
  __shared__ float heat[2][kHeight][kWidth];
#if SH_POWER
  __shared__ float kept[kHeight][kWidth];
#endif
  const Rates rates = {rate_x, rate_y, rate_z, step};
  // The tile's corner with its border; the arrays have a border of kBorder.
  const int left = blockIdx.x * kTileX + kBorder - kSteps, top = blockIdx.y * kTileY + kBorder - kSteps;
  for (int y = threadIdx.y; y < kHeight; y += BLOCK_SIZE_Y) {
    for (int x = threadIdx.x; x < kWidth; x += BLOCK_SIZE_X) {
      if (top + y >= kPitch || left + x >= kPitch) continue;
      heat[0][y][x] = before[(top + y) * kPitch + left + x];
#if SH_POWER
      kept[y][x] = power[(top + y) * kPitch + left + x];
#endif
    }
  }
  __syncthreads();
#pragma unroll kUnroll
  for (int t = 1; t <= kSteps; ++t) {
    const int from = (t - 1) & 1;
    for (int y = threadIdx.y + t; y < kHeight - t; y += BLOCK_SIZE_Y) {
      for (int x = threadIdx.x + t; x < kWidth - t; x += BLOCK_SIZE_X) {
        if (top + y >= kPitch || left + x >= kPitch) continue;
#if SH_POWER
        const float here = kept[y][x];
#else
        const float here = power[(top + y) * kPitch + left + x];
#endif
        heat[from ^ 1][y][x] = warmed(heat[from], y, x, here, rates);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < TILE_SIZE_Y; ++j) {
#pragma unroll
    for (int i = 0; i < TILE_SIZE_X; ++i) {
      const int y = threadIdx.y + j * BLOCK_SIZE_Y, x = threadIdx.x + i * BLOCK_SIZE_X;
      const int row = blockIdx.y * kTileY + y, column = blockIdx.x * kTileX + x;
      if (row < kPlate && column < kPlate) after[row * kPlate + column] = heat[kSteps & 1][y + kSteps][x + kSteps];
    }
  }
}
