// Writes one element past the end: the memory check stops it.
#include <cstdio>

__global__ void fill(int* x, int n) {
  const int i = threadIdx.x;
  if (i <= n) x[i] = i;
}

int main() {
  int* x;
  cudaMalloc(&x, 64 * sizeof(int));
  fill<<<1, 128>>>(x, 64);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", error == cudaSuccess ? "PASSED" : cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
