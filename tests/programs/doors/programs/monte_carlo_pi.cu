// Pi by counting: a generator of each thread, a reduction of each block.
#include "check.h"

__host__ __device__ unsigned next(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}
__host__ __device__ int hits(unsigned seed, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) {
    const float x = (next(seed) >> 8) / 16777216.0f, y = (next(seed) >> 8) / 16777216.0f;
    count += x * x + y * y <= 1.0f;
  }
  return count;
}
__global__ void count(int* total, int tries) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, hits(blockIdx.x * blockDim.x + threadIdx.x + 1, tries));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

int main() {
  const int blocks = 8, threads = 64, tries = 50;
  int* total = to_device(std::vector<int>(1, 0));
  count<<<blocks, threads>>>(total, tries);
  CHECK(cudaDeviceSynchronize());
  int expected = 0;
  for (int i = 0; i < blocks * threads; ++i) expected += hits(i + 1, tries);
  const int got = to_host(total, 1)[0];
  std::printf("pi is about %.3f\n", 4.0 * got / (blocks * threads * tries));
  return verdict(got == expected);
}
