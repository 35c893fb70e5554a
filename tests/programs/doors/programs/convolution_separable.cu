// A separable filter: rows, then columns, its weights in constant memory.
#include "check.h"

constexpr int kRadius = 4;
__constant__ float weights[2 * kRadius + 1];

__global__ void rows(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k)
    if (x + k >= 0 && x + k < width) sum += weights[k + kRadius] * in[y * width + x + k];
  out[y * width + x] = sum;
}
__global__ void columns(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = -kRadius; k <= kRadius; ++k)
    if (y + k >= 0 && y + k < height) sum += weights[k + kRadius] * in[(y + k) * width + x];
  out[y * width + x] = sum;
}

int main() {
  const int width = 100, height = 60;
  std::vector<float> in(width * height), w(2 * kRadius + 1);
  for (size_t i = 0; i < in.size(); ++i) in[i] = any_float(i);
  for (size_t i = 0; i < w.size(); ++i) w[i] = any_float(i + 99) / 4;
  CHECK(cudaMemcpyToSymbol(weights, w.data(), w.size() * sizeof(float)));
  float *a = to_device(in), *b = nullptr, *c = nullptr;
  CHECK(cudaMalloc(&b, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&c, in.size() * sizeof(float)));
  const dim3 block(32, 4), grid((width + 31) / 32, (height + 3) / 4);
  rows<<<grid, block>>>(a, b, width, height);
  columns<<<grid, block>>>(b, c, width, height);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(c, in.size());
  bool good = true;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int i = -kRadius; i <= kRadius; ++i)
        for (int j = -kRadius; j <= kRadius; ++j)
          if (y + i >= 0 && y + i < height && x + j >= 0 && x + j < width)
            sum += double(w[i + kRadius]) * w[j + kRadius] * in[(y + i) * width + x + j];
      good &= close(got[y * width + x], sum);
    }
  return verdict(good);
}
