// A relaxation as PolyBench writes it: two kernels in turn, thousands of times, always the same.
#include "check.h"

__global__ void relax(int n, const float* a, float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}

__global__ void copy_back(int n, float* a, const float* b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) a[i] = b[i];
}

int main(int argc, char** argv) {
  const int n = 4096, steps = argc > 1 ? std::atoi(argv[1]) : 1500;
  std::vector<float> start(n), now;
  for (int i = 0; i < n; ++i) start[i] = any_float(i);
  float *a = to_device(start), *b = to_device(start);
  for (int step = 0; step < steps; ++step) {
    relax<<<n / 256, 256>>>(n, a, b);
    copy_back<<<n / 256, 256>>>(n, a, b);
  }
  CHECK(cudaDeviceSynchronize());
  now = start;
  for (int step = 0; step < steps; ++step) {
    std::vector<float> next = now;
    for (int i = 1; i < n - 1; ++i) next[i] = 0.33333f * (now[i - 1] + now[i] + now[i + 1]);
    now = next;
  }
  const std::vector<float> got = to_host(a, n);
  bool good = true;
  for (int i = 0; i < n; ++i) good &= close(got[i], now[i]);
  return verdict(good);
}
