// nvcc: -rdc=true separate_compilation_part.cu
// Device code in two files: a function and variables of the other one.
#include "check.h"

extern __device__ float shifted(float x);
extern __device__ float offset;
extern __constant__ int factor;
static __device__ int own = 3;  // the other file has one of this name too

__global__ void work(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = shifted(data[i]) * factor + own;
}

int main() {
  const int n = 500, seven = 7;
  const float half = 0.5f;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = any_float(i);
  CHECK(cudaMemcpyToSymbol(offset, &half, sizeof half));
  CHECK(cudaMemcpyToSymbol(factor, &seven, sizeof seven));
  float* device = to_device(in);
  work<<<(n + 127) / 128, 128>>>(device, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(device, n);
  bool good = true;
  for (int i = 0; i < n; ++i) good &= close(got[i], (in[i] + 0.5f + 4) * 7 + 3);
  return verdict(good);
}
