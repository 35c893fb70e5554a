// A stencil over a torus, two buffers that take turns.
#include "check.h"

__host__ __device__ int alive_next(const unsigned char* cells, int width, int height, int x, int y) {
  int sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      sum += (dx || dy) * cells[(y + dy + height) % height * width + (x + dx + width) % width];
  return sum == 3 || (sum == 2 && cells[y * width + x]);
}
__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = alive_next(in, width, height, x, y);
}

int main() {
  const int width = 64, height = 32;
  std::vector<unsigned char> cells(width * height), next(cells);
  for (size_t i = 0; i < cells.size(); ++i) cells[i] = any_float(i) < 0.3f;
  unsigned char *a = to_device(cells), *b = to_device(cells);
  for (int g = 0; g < 4; ++g) {
    life<<<dim3(width / 32, height / 8), dim3(32, 8)>>>(a, b, width, height);
    std::swap(a, b);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        next[y * width + x] = alive_next(cells.data(), width, height, x, y);
    cells = next;
  }
  CHECK(cudaDeviceSynchronize());
  return verdict(to_host(a, cells.size()) == cells);
}
