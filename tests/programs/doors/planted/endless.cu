// Planted: a loop that never ends.
#include "../programs/check.h"

__global__ void wait_for(volatile int* flag) {
  while (*flag == 0) {
  }
}
__global__ void count_up(unsigned* out) {
  unsigned i = 1;
  while (i != 0) i = i * 3 + 2 * (i == 0);  // odd numbers stay odd
  *out = i;
}

int main() {
  unsigned* out = nullptr;
  CHECK(cudaMalloc(&out, sizeof(unsigned)));
  count_up<<<1, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  wait_for<<<1, 32>>>((int*)out);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
