// Every block waits for the one after it: the GPU holds all of them at the same time.
#include "check.h"

__global__ void count_down(volatile int* count) {  // -1: not yet known
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int next = -1;
  if (blockIdx.x + 1 < gridDim.x) {
    while ((next = count[i + blockDim.x]) < 0) {
    }
  }
  count[i] = next + 1;
}

int main() {
  const int blocks = 80, threads = 64;
  int* count = to_device(std::vector<int>(blocks * threads, -1));
  count_down<<<blocks, threads>>>(count);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(count, blocks * threads);
  bool right = true;
  for (int i = 0; i < blocks * threads; ++i) right &= got[i] == blocks - 1 - i / threads;
  return verdict(right);
}
