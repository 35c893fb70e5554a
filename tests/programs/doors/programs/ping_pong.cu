// Two buffers that change places: the same work with two sets of arguments, timed by events.
#include "check.h"

__global__ void blur(int n, const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 0.5f * (from[i] + from[(i + 1) % n]);
}

int main() {
  const int n = 8192, steps = 200;
  std::vector<float> now(n);
  for (int i = 0; i < n; ++i) now[i] = any_float(i);
  float *a = to_device(now), *b = to_device(now);
  cudaEvent_t first, last;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&last));
  CHECK(cudaEventRecord(first));
  for (int step = 0; step < steps; ++step) {
    blur<<<n / 256, 256>>>(n, a, b);
    std::swap(a, b);
  }
  CHECK(cudaEventRecord(last));
  CHECK(cudaEventSynchronize(last));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, first, last));
  std::printf("elapsed %.9g ms\n", milliseconds);
  for (int step = 0; step < steps; ++step) {
    std::vector<float> next(n);
    for (int i = 0; i < n; ++i) next[i] = 0.5f * (now[i] + now[(i + 1) % n]);
    now = next;
  }
  const std::vector<float> got = to_host(a, n);
  bool good = milliseconds > 0;
  for (int i = 0; i < n; ++i) good &= close(got[i], now[i]);
  return verdict(good);
}
