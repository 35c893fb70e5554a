// The same kernel launched in four ways: <<<>>>, cudaLaunchKernel, cudaLaunchKernelEx, a handle.
#include "check.h"

__global__ void add(int* data, int by, char unused, double also) {
  data[threadIdx.x] += by + static_cast<int>(also) + (unused == 'x');
}

int main() {
  int* device = to_device(std::vector<int>(64, 0));
  add<<<1, 64>>>(device, 1, 'x', 1.0);
  int by = 10;
  char unused = 'y';
  double also = 2.0;
  void* arguments[] = {&device, &by, &unused, &also};
  CHECK(cudaLaunchKernel((void*)add, dim3(1), dim3(64), arguments, 0, nullptr));
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  CHECK(cudaLaunchKernelEx(&config, add, device, 100, 'z', 3.0));
  cudaKernel_t handle = nullptr;
  CHECK(cudaGetKernel(&handle, (void*)add));
  CHECK(cudaLaunchKernel((void*)handle, dim3(1), dim3(64), arguments, 0, nullptr));
  add<<<1, 2048>>>(device, 1, 'x', 1.0);  // too many threads
  const bool refused = cudaGetLastError() == cudaErrorInvalidConfiguration;
  CHECK(cudaDeviceSynchronize());
  bool good = refused;
  for (const int value : to_host(device, 64)) good &= value == 1 + 1 + 1 + 12 + 103 + 12;
  return verdict(good);
}
