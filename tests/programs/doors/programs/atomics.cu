// The atomic operations on integers, and what each leaves.
#include "check.h"

__global__ void all_kinds(int* d) {
  const int tid = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&d[0], 10);
  atomicSub(&d[1], 10);
  atomicExch(&d[2], tid);
  atomicMax(&d[3], tid);
  atomicMin(&d[4], tid);
  atomicInc((unsigned*)&d[5], 17);
  atomicDec((unsigned*)&d[6], 137);
  atomicCAS(&d[7], tid - 1, tid);
  atomicAnd(&d[8], 2 * tid + 7);
  atomicOr(&d[9], 1 << (tid % 32));
  atomicXor(&d[10], tid);
}

int main() {
  const int threads = 256, blocks = 16, n = threads * blocks;
  std::vector<int> start(11, 0);
  start[8] = 0xff, start[10] = 0xff;
  int* device = to_device(start);
  all_kinds<<<blocks, threads>>>(device);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> d = to_host(device, 11);
  int both = 0xff, either = 0, odd = 0xff;
  unsigned up = 0, down = 0;
  for (int i = 0; i < n; ++i) {
    both &= 2 * i + 7, either |= 1 << (i % 32), odd ^= i;
    up = up >= 17 ? 0 : up + 1;
    down = down == 0 || down > 137 ? 137 : down - 1;
  }
  return verdict(d[0] == 10 * n && d[1] == -10 * n && d[2] >= 0 && d[2] < n && d[3] == n - 1 &&
                 d[4] == 0 && unsigned(d[5]) == up && unsigned(d[6]) == down && d[7] >= 0 &&
                 d[7] < n && d[8] == both && d[9] == either && d[10] == odd);
}
