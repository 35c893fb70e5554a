// A kernel that takes a compiler seconds: thousands of statements with branches between them.
#include <cuda_runtime.h>

#define STEP(n)                                                       \
  value = value * 3 + n;                                              \
  if ((value >> (n % 29)) & 1) x[(i + value) & 255] += value, ++value; \
  value ^= x[(i * n + value) & 255];
#define STEPS4(n) STEP(n) STEP(n + 1) STEP(n + 2) STEP(n + 3)
#define STEPS16(n) STEPS4(n) STEPS4(n + 4) STEPS4(n + 8) STEPS4(n + 12)
#define STEPS64(n) STEPS16(n) STEPS16(n + 16) STEPS16(n + 32) STEPS16(n + 48)
#define STEPS256(n) STEPS64(n) STEPS64(n + 64) STEPS64(n + 128) STEPS64(n + 192)

__global__ void long_kernel(unsigned* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i;
  STEPS256(1) STEPS256(257) STEPS256(513) STEPS256(769)
  x[i & 255] = value;
}

int main() {
  unsigned* x = nullptr;
  cudaMalloc(&x, 1024);
  long_kernel<<<256, 256>>>(x);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
