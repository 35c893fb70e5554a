// 128 bits a lane, and the rest of an odd length.
#include "check.h"

__global__ void copy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i + 3 < n) ((float4*)out)[i] = ((const float4*)in)[i];
  if (i < n % 4) out[n / 4 * 4 + i] = in[n / 4 * 4 + i];
}

int main() {
  const int n = 10003;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = any_float(i);
  float *device = to_device(in), *out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  copy<<<(n / 4 + 255) / 256, 256>>>(device, out, n);
  CHECK(cudaDeviceSynchronize());
  return verdict(to_host(out, n) == in);
}
