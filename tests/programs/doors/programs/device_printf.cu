// printf in a kernel: what it prints stands before what the host prints next.
#include "check.h"

__global__ void hello(double x) {
  if (threadIdx.x % 2 == 0)
    printf("block %d thread %d: %.2f %s %llu\n", blockIdx.x, threadIdx.x, x * threadIdx.x, "text",
           1ull << 40);
}

int main() {
  hello<<<2, 4>>>(1.5);
  CHECK(cudaDeviceSynchronize());
  return verdict(true);
}
