// An 11 x 11 filter over a batch of images; taps outside count as zero.

__constant__ float weights[121];

extern "C" __global__ void conv2d_global(const float* image, const float* filter, float* out, int height, int width,
                                         int size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int base = blockIdx.z * height * width, half = size / 2;
  float sum = 0;
  for (int r = 0; r < size; ++r) {
    for (int c = 0; c < size; ++c) {
      const int from_y = y + r - half, from_x = x + c - half;
      if (from_y >= 0 && from_y < height && from_x >= 0 && from_x < width) {
        sum += image[base + from_y * width + from_x] * filter[r * size + c];
      }
    }
  }
  out[base + y * width + x] = sum;
}

// The block's pixels and their margin, row by row; zero outside of the image.
__device__ void load_tile(float* tile, const float* image, int height, int width, int half, int first_x, int first_y,
                          int side) {
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < side * side; i += blockDim.x * blockDim.y) {
    const int y = first_y + i / side - half, x = first_x + i % side - half;
    float pixel = 0;
    if (y >= 0 && y < height && x >= 0 && x < width) pixel = image[blockIdx.z * height * width + y * width + x];
    tile[i] = pixel;
  }
  __syncthreads();
}

extern "C" __global__ void conv2d_tile(const float* image, float* out, int height, int width, int size) {
  extern __shared__ float tile[];
  const int side = blockDim.x + size - 1;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  load_tile(tile, image, height, width, size / 2, blockIdx.x * blockDim.x, blockIdx.y * blockDim.y, side);
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int r = 0; r < size; ++r) {
    for (int c = 0; c < size; ++c) sum += tile[(threadIdx.y + r) * side + threadIdx.x + c] * weights[r * size + c];
  }
  out[blockIdx.z * height * width + y * width + x] = sum;
}

// 2 x 2 outputs a thread, for blocks of 16 x 16 and a filter of 11 x 11.
extern "C" __global__ void conv2d_tile_2x2(const float* image, float* out, int height, int width, int size) {
  extern __shared__ float tile[];
  const int side = 2 * blockDim.x + size - 1;
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = 2 * (blockIdx.y * blockDim.y + threadIdx.y);
  load_tile(tile, image, height, width, size / 2, 2 * blockIdx.x * blockDim.x, 2 * blockIdx.y * blockDim.y, side);
  constexpr int kSize = 11, kSide = 2 * 16 + kSize - 1;
  float sum[4] = {};
  for (int r = 0; r < kSize; ++r) {
#pragma unroll
    for (int c = 0; c < kSize; ++c) {
      const float weight = weights[r * kSize + c];
#pragma unroll
      for (int o = 0; o < 4; ++o) {
        sum[o] += tile[(2 * threadIdx.y + o / 2 + r) * kSide + 2 * threadIdx.x + o % 2 + c] * weight;
      }
    }
  }
#pragma unroll
  for (int o = 0; o < 4; ++o) {
    if (y + o / 2 < height && x + o % 2 < width) {
      out[blockIdx.z * height * width + (y + o / 2) * width + x + o % 2] = sum[o];
    }
  }
}
