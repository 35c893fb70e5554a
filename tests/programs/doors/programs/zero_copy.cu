// Pinned host memory that a kernel reads and writes in place.
#include "check.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 4096;
  float *a = nullptr, *b = nullptr, *da = nullptr, *db = nullptr, *dc = nullptr;
  std::vector<float> c(n, 0.0f);
  CHECK(cudaHostAlloc(&a, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&b, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostRegister(c.data(), n * sizeof(float), cudaHostRegisterMapped));
  for (int i = 0; i < n; ++i) a[i] = any_float(i), b[i] = any_float(i + n);
  CHECK(cudaHostGetDevicePointer(&da, a, 0));
  CHECK(cudaHostGetDevicePointer(&db, b, 0));
  CHECK(cudaHostGetDevicePointer(&dc, c.data(), 0));
  add<<<n / 256, 256>>>(da, db, dc, n);
  CHECK(cudaDeviceSynchronize());
  bool good = true;
  for (int i = 0; i < n; ++i) good &= c[i] == a[i] + b[i];
  CHECK(cudaHostUnregister(c.data()));
  CHECK(cudaFreeHost(a));
  CHECK(cudaFreeHost(b));
  return verdict(good);
}
