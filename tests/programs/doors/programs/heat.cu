// Jacobi steps of the heat equation with halos in shared memory.
#include "check.h"

constexpr int kSide = 16;

__global__ void step(const float* in, float* out, int n) {
  __shared__ float tile[kSide + 2][kSide + 2];
  const int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * kSide + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const auto at = [&](int i, int j) {
    return i < 0 || j < 0 || i >= n || j >= n ? 0.0f : in[j * n + i];
  };
  tile[ty][tx] = at(x, y);
  if (threadIdx.x == 0) tile[ty][0] = at(x - 1, y);
  if (threadIdx.x == kSide - 1) tile[ty][kSide + 1] = at(x + 1, y);
  if (threadIdx.y == 0) tile[0][tx] = at(x, y - 1);
  if (threadIdx.y == kSide - 1) tile[kSide + 1][tx] = at(x, y + 1);
  __syncthreads();
  out[y * n + x] = 0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}

int main() {
  const int n = 64;
  std::vector<float> grid(n * n), next(n * n);
  for (int i = 0; i < n * n; ++i) grid[i] = any_float(i);
  float *a = to_device(grid), *b = to_device(grid);
  const auto at = [&](int x, int y) {
    return x < 0 || y < 0 || x >= n || y >= n ? 0.0f : grid[y * n + x];
  };
  for (int s = 0; s < 5; ++s) {
    step<<<dim3(n / kSide, n / kSide), dim3(kSide, kSide)>>>(a, b, n);
    std::swap(a, b);
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        next[y * n + x] = 0.25f * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
    grid = next;
  }
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(a, n * n);
  bool good = true;
  for (int i = 0; i < n * n; ++i) good &= close(got[i], grid[i]);
  return verdict(good);
}
