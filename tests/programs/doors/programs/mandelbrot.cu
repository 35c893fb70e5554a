// Threads of a warp that leave a loop at different times.
#include "check.h"

__host__ __device__ int steps(float cx, float cy) {
  float x = 0, y = 0;
  int n = 0;
  for (; n < 100 && x * x + y * y < 4.0f; ++n) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  return n;
}
__global__ void mandelbrot(int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height)
    out[y * width + x] = steps(-2.0f + 3.0f * x / width, -1.0f + 2.0f * y / height);
}

int main() {
  const int width = 64, height = 48;
  int* device = nullptr;
  CHECK(cudaMalloc(&device, width * height * sizeof(int)));
  mandelbrot<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(device, width, height);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(device, width * height);
  int different = 0;  // the host may contract products and sums otherwise
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      different += got[y * width + x] != steps(-2.0f + 3.0f * x / width, -1.0f + 2.0f * y / height);
  return verdict(different < width * height / 50);
}
