// Planted: the arrays lie in the host's memory, so that the bus is the limit.
#include "../programs/check.h"

__global__ void add(const float* a, const float* b, float* c) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + b[i];  // <- here
}

int main() {
  const int n = 1 << 17;
  float *host[3], *mapped[3];
  for (int i = 0; i < 3; ++i) {
    CHECK(cudaHostAlloc(&host[i], n * sizeof(float), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&mapped[i], host[i], 0));
    for (int j = 0; j < n; ++j) host[i][j] = 1;
  }
  add<<<n / 256, 256>>>(mapped[0], mapped[1], mapped[2]);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
