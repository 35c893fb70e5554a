// A square filter over a batch of images; taps outside of an image count as zero.

constexpr int kBlock = 16;  // threads of a block along x and along y
constexpr int kLargest = 31;

extern __shared__ float tile[];
__constant__ float weights[kLargest * kLargest];

// A batch may have more pixels than an int can count.
__device__ size_t pixel_at(int image, int y, int x, int height, int width) {
  return size_t(image) * height * width + size_t(y) * width + x;
}

extern "C" __global__ void conv2d_global(const float* __restrict__ images, const float* __restrict__ filter, float* __restrict__ out, int count,
                                         int height, int width, int size) {
  const int image = blockIdx.z, y = blockIdx.y * blockDim.y + threadIdx.y, x = blockIdx.x * blockDim.x + threadIdx.x;
  if (image >= count || y >= height || x >= width) return;
  const int margin = (size - 1) / 2;
  float sum = 0;
  for (int r = 0; r < size; ++r) {
    const int from_y = y + r - margin;
    if (from_y < 0 || from_y >= height) continue;
    for (int c = 0; c < size; ++c) {
      const int from_x = x + c - margin;
      if (from_x < 0 || from_x >= width) continue;
      sum += images[pixel_at(image, from_y, from_x, height, width)] * filter[r * size + c];
    }
  }
  out[pixel_at(image, y, x, height, width)] = sum;
}

// The block's pixels and their margin, row by row; zero outside of the image. kOutputs: a thread's along x and along y.
template <int kOutputs>
__device__ void load_tile(const float* __restrict__ images, int count, int height, int width, int margin) {
  const int side = kBlock * kOutputs + 2 * margin, across = threadIdx.x, down = threadIdx.y, image = blockIdx.z;
  const int first_y = blockIdx.y * (kBlock * kOutputs) - margin, first_x = blockIdx.x * (kBlock * kOutputs) - margin;
  for (int i = down * kBlock + across; i < side * side; i += kBlock * kBlock) {
    const int r = i / side, c = i % side, y = first_y + r, x = first_x + c;
    float pixel = 0;
    if (image < count && y >= 0 && y < height && x >= 0 && x < width) pixel = images[pixel_at(image, y, x, height, width)];
    tile[r * side + c] = pixel;
  }
  __syncthreads();
}

extern "C" __global__ void conv2d_tile(const float* __restrict__ images, float* __restrict__ out, int count, int height, int width, int size) {
  const int margin = (size - 1) / 2, side = kBlock + 2 * margin;
  const int image = blockIdx.z, top = threadIdx.y, left = threadIdx.x, y = blockIdx.y * kBlock + top, x = blockIdx.x * kBlock + left;
  load_tile<1>(images, count, height, width, margin);
  if (image >= count || y >= height || x >= width) return;
  float sum = 0;
  for (int r = 0; r < size; ++r) {
    for (int c = 0; c < size; ++c) sum += tile[(top + r) * side + (left + c)] * weights[r * size + c];
  }
  out[pixel_at(image, y, x, height, width)] = sum;
}

// 2 x 2 outputs a thread.
extern "C" __global__ void conv2d_tile_2x2(const float* __restrict__ images, float* __restrict__ out, int count, int height, int width, int size) {
  constexpr int kOutputs = 2;
  const int margin = (size - 1) / 2, side = kBlock * kOutputs + 2 * margin;
  load_tile<kOutputs>(images, count, height, width, margin);
  const int image = blockIdx.z, across = threadIdx.x, down = threadIdx.y, top = down * kOutputs, left = across * kOutputs;
  float sum[kOutputs][kOutputs] = {};
  for (int r = 0; r < size; ++r) {
    for (int c = 0; c < size; ++c) {
      const float weight = weights[r * size + c];
#pragma unroll
      for (int i = 0; i < kOutputs; ++i) {
#pragma unroll
        for (int j = 0; j < kOutputs; ++j) sum[i][j] += tile[(top + i + r) * side + (left + j + c)] * weight;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kOutputs; ++i) {
#pragma unroll
    for (int j = 0; j < kOutputs; ++j) {
      const int y = blockIdx.y * (kBlock * kOutputs) + top + i, x = blockIdx.x * (kBlock * kOutputs) + left + j;
      if (image < count && y < height && x < width) out[pixel_at(image, y, x, height, width)] = sum[i][j];
    }
  }
}
