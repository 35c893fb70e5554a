// Reads and writes past the end: with --on-error continue the launch ends, with right values
// where they are in bounds.
#include <cstdio>

__global__ void shift(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float next = from[i + 4];
  to[i] = next + 1;
}

int main() {
  constexpr int kCount = 1000;
  float *from, *to, host[kCount];
  for (int i = 0; i < kCount; ++i) host[i] = i;
  if (cudaMalloc(&from, sizeof host) || cudaMalloc(&to, sizeof host)) return 2;
  cudaMemcpy(from, host, sizeof host, cudaMemcpyHostToDevice);
  shift<<<4, 256>>>(from, to, kCount);
  if (cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost)) return 2;
  bool good = true;
  for (int i = 0; i < kCount; ++i) good = good && host[i] == (i + 4 < kCount ? i + 5 : 1);
  std::printf(good ? "PASSED\n" : "FAILED\n");
  return good ? 0 : 1;
}
