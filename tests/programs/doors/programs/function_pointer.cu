// A table of device functions, chosen at run time.
#include "check.h"

using Function = float (*)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float squared(float x) { return x * x; }
__device__ float negated(float x) { return -x; }
__device__ Function table[3] = {twice, squared, negated};

__global__ void apply(const float* in, float* out, const int* which, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[which[i]](in[i]);
}

int main() {
  const int n = 300;
  std::vector<float> in(n);
  std::vector<int> which(n);
  for (int i = 0; i < n; ++i) in[i] = any_float(i), which[i] = i * 7 % 3;
  float *device = to_device(in), *out = nullptr;
  int* dw = to_device(which);
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  apply<<<(n + 63) / 64, 64>>>(device, out, dw, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> got = to_host(out, n);
  bool good = true;
  for (int i = 0; i < n; ++i)
    good &= got[i] == (which[i] == 0 ? 2 * in[i] : which[i] == 1 ? in[i] * in[i] : -in[i]);
  return verdict(good);
}
