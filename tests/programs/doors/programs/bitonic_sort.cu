// Bitonic sort: a launch for each step over global memory.
#include <algorithm>

#include "check.h"

__global__ void exchange(float* data, int j, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
  if (other <= i) return;
  const float a = data[i], b = data[other];
  if ((a > b) == ((i & k) == 0)) data[i] = b, data[other] = a;
}

int main() {
  const int n = 2048;
  std::vector<float> data(n);
  for (int i = 0; i < n; ++i) data[i] = any_float(i);
  float* device = to_device(data);
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) exchange<<<n / 256, 256>>>(device, j, k);
  CHECK(cudaDeviceSynchronize());
  std::sort(data.begin(), data.end());
  return verdict(to_host(device, n) == data);
}
