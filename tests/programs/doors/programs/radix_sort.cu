// Radix sort of a block's keys, one bit a pass, with a scan by ballots.
#include <algorithm>

#include "check.h"

__global__ void sort(unsigned* keys) {
  __shared__ unsigned data[256];
  __shared__ int zeros_of_warp[8];
  const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
  unsigned key = keys[blockIdx.x * 256 + tid];
  for (int bit = 0; bit < 16; ++bit) {
    const bool zero = (key >> bit & 1) == 0;
    const unsigned zeros = __ballot_sync(~0u, zero);
    if (lane == 0) zeros_of_warp[warp] = __popc(zeros);
    __syncthreads();
    int before = 0, total = 0;
    for (int w = 0; w < 8; ++w) {
      if (w < warp) before += zeros_of_warp[w];
      total += zeros_of_warp[w];
    }
    before += __popc(zeros & ((1u << lane) - 1));
    data[zero ? before : total + tid - before] = key;
    __syncthreads();
    key = data[tid];
    __syncthreads();
  }
  keys[blockIdx.x * 256 + tid] = key;
}

int main() {
  const int blocks = 4, n = blocks * 256;
  std::vector<unsigned> keys(n);
  for (int i = 0; i < n; ++i) keys[i] = static_cast<unsigned>(any_float(i) * 65536);
  unsigned* device = to_device(keys);
  sort<<<blocks, 256>>>(device);
  CHECK(cudaDeviceSynchronize());
  for (int b = 0; b < blocks; ++b) std::sort(keys.begin() + b * 256, keys.begin() + (b + 1) * 256);
  return verdict(to_host(device, n) == keys);
}
