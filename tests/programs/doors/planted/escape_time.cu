// Planted: arithmetic is the limit, and nothing about memory is worth a word.
#include "../programs/check.h"

__global__ void mandelbrot(unsigned char* image, int width, int height) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  const float cx = -0.2f + 0.2f * px / width, cy = -0.1f + 0.2f * py / height;
  float x = 0, y = 0;
  int i = 0;
  while (i < 200 && x * x + y * y < 4.0f) {  // <- here
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++i;
  }
  image[py * width + px] = i;
}

int main() {
  unsigned char* image = nullptr;
  CHECK(cudaMalloc(&image, 1024 * 512));
  mandelbrot<<<dim3(32, 64), dim3(32, 8)>>>(image, 1024, 512);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
