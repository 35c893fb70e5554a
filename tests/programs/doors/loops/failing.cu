// One launch, which writes past the end; the program does not look at errors.
#include <cuda_runtime.h>

__global__ void past_the_end(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

int main() {
  float* x = nullptr;
  cudaMalloc(&x, 128);
  past_the_end<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  return 0;
}
