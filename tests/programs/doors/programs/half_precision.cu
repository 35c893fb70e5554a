// saxpy on pairs of halves.
#include <cuda_fp16.h>

#include "check.h"

__global__ void haxpy(const __half2* x, __half2* y, __half2 a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __hfma2(a, x[i], y[i]);
}

int main() {
  const int n = 2000;
  std::vector<__half2> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = __floats2half2_rn(any_float(i), any_float(i + n));
    y[i] = __floats2half2_rn(any_float(i + 2 * n), any_float(i + 3 * n));
  }
  __half2 *dx = to_device(x), *dy = to_device(y);
  haxpy<<<(n + 255) / 256, 256>>>(dx, dy, __floats2half2_rn(0.5f, 2.0f), n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<__half2> got = to_host(dy, n);
  bool good = true;
  for (int i = 0; i < n; ++i) {
    const float2 a = __half22float2(x[i]), b = __half22float2(y[i]), c = __half22float2(got[i]);
    good &= close(c.x, 0.5f * a.x + b.x, 1e-3) && close(c.y, 2.0f * a.y + b.y, 1e-3);
  }
  return verdict(good);
}
