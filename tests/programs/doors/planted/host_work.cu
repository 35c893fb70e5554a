// A second of the host's own work and a few small launches: what the door adds to it.
#include <cstring>

#include "../programs/check.h"

__global__ void add(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1.0f;
}

int main(int argc, char** argv) {
  double sum = 0;
  for (long i = 1; i < 400000000; ++i) sum += 1.0 / static_cast<double>(i);
  if (argc > 1 && std::strcmp(argv[1], "--host-only") == 0) return sum > 0 ? 0 : 1;
  float* data = to_device(std::vector<float>(512, 0.0f));
  for (int i = 0; i < 20; ++i) add<<<4, 128>>>(data, 512);
  CHECK(cudaDeviceSynchronize());
  return verdict(sum > 0 && to_host(data, 512)[511] == 20.0f);
}
