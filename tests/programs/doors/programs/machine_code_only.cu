// nvcc: -gencode arch=compute_80,code=sm_80
// Built without PTX: what runs is the PTX that -lineinfo keeps in the machine code. (The comment //
// and this "string" must not disturb it.)
#include "check.h"

__constant__ float kWeights[4] = {1, 2, 4, 8};
__device__ int passes;

__global__ void weigh(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) atomicAdd(&passes, 1);
  if (i < n) out[i] = in[i] * kWeights[i % 4];  // the weights go round
}

int main() {
  const int n = 10000;
  std::vector<float> in(n);
  for (int i = 0; i < n; ++i) in[i] = any_float(i);
  float *din = to_device(in), *dout = nullptr;
  CHECK(cudaMalloc(&dout, n * sizeof(float)));
  weigh<<<(n + 255) / 256, 256>>>(din, dout, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<float> out = to_host(dout, n);
  int seen = 0;
  CHECK(cudaMemcpyFromSymbol(&seen, passes, sizeof seen));
  bool good = seen == 1;
  for (int i = 0; i < n; ++i) good &= out[i] == in[i] * (1 << i % 4);
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(good);
}
