// A 15 x 15 convolution of a 4096 x 4096 image with a border of 7, out of a shared tile; a sweep sets the block, the outputs a thread
// (TILE_SIZE_X x TILE_SIZE_Y, a block apart) and whether the image is read through the read-only path.
#ifndef BLOCK_SIZE_X
#define BLOCK_SIZE_X 32
#define BLOCK_SIZE_Y 4
#define TILE_SIZE_X 1
#define TILE_SIZE_Y 4
#define READ_ONLY 0
#endif

constexpr int kImage = 4096, kFilter = 15, kInput = kImage + kFilter - 1;
constexpr int kTileX = BLOCK_SIZE_X * TILE_SIZE_X, kTileY = BLOCK_SIZE_Y * TILE_SIZE_Y;
constexpr int kSharedX = kTileX + kFilter - 1, kSharedY = kTileY + kFilter - 1;
constexpr bool kIsWhole = kImage % kTileX == 0 && kImage % kTileY == 0;  // no block reaches beyond the image

__constant__ float filter[kFilter * kFilter];

__device__ __forceinline__ float read(const float* image, int at) {
#if READ_ONLY
  return __ldg(image + at);
#else
  return image[at];
#endif
}

extern "C" __global__ void conv15(float* out, const float* image) {
  __shared__ float tile[kSharedY][kSharedX];
  const int x = blockIdx.x * kTileX, y = blockIdx.y * kTileY;
#pragma unroll
  for (int j = threadIdx.y; j < kSharedY; j += BLOCK_SIZE_Y) {
#pragma unroll
    for (int i = threadIdx.x; i < kSharedX; i += BLOCK_SIZE_X) {
      if (kIsWhole || (y + j < kInput && x + i < kInput)) tile[j][i] = read(image, (y + j) * kInput + x + i);
    }
  }
  __syncthreads();
  float sum[TILE_SIZE_Y][TILE_SIZE_X] = {};
#pragma unroll
  for (int fy = 0; fy < kFilter; ++fy) {
#pragma unroll
    for (int fx = 0; fx < kFilter; ++fx) {
#pragma unroll
      for (int tj = 0; tj < TILE_SIZE_Y; ++tj) {
#pragma unroll
        for (int ti = 0; ti < TILE_SIZE_X; ++ti) {
          sum[tj][ti] += tile[threadIdx.y + tj * BLOCK_SIZE_Y + fy][threadIdx.x + ti * BLOCK_SIZE_X + fx] * filter[fy * kFilter + fx];
        }
      }
    }
  }
#pragma unroll
  for (int tj = 0; tj < TILE_SIZE_Y; ++tj) {
#pragma unroll
    for (int ti = 0; ti < TILE_SIZE_X; ++ti) {
      const int ox = x + threadIdx.x + ti * BLOCK_SIZE_X, oy = y + threadIdx.y + tj * BLOCK_SIZE_Y;
      if (kIsWhole || (ox < kImage && oy < kImage)) out[oy * kImage + ox] = sum[tj][ti];
    }
  }
}
