// The launch that fills the device, as the occupancy interface suggests it.
#include "check.h"

__global__ void square(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= data[i];
}

int main() {
  const int n = 5000;
  int least = 0, block = 0, active = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least, &block, square, 0, n));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, square, block, 0));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, square));
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = i;
  int* device = to_device(in);
  square<<<(n + block - 1) / block, block>>>(device, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(device, n);
  bool good = block > 0 && block % 32 == 0 && active > 0 && attributes.numRegs > 0;
  for (int i = 0; i < n; ++i) good &= got[i] == i * i;
  return verdict(good);
}
