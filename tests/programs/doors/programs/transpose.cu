// A transpose through a padded tile, and the naive one beside it.
#include "check.h"

constexpr int kTile = 32, kRows = 8;

__global__ void naive(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < width && y + j < height) out[x * height + y + j] = in[(y + j) * width + x];
}

__global__ void tiled(const float* in, float* out, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x, y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows)
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int width = 160, height = 96;
  std::vector<float> in(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = any_float(i);
  float *device = to_device(in), *a = nullptr, *b = nullptr;
  CHECK(cudaMalloc(&a, in.size() * sizeof(float)));
  CHECK(cudaMalloc(&b, in.size() * sizeof(float)));
  const dim3 grid(width / kTile, height / kTile), block(kTile, kRows);
  naive<<<grid, block>>>(device, a, width, height);
  tiled<<<grid, block>>>(device, b, width, height);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> first = to_host(a, in.size()), second = to_host(b, in.size());
  bool good = first == second;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) good &= first[x * height + y] == in[y * width + x];
  return verdict(good);
}
