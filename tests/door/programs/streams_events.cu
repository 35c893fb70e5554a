// Copies and kernels on four streams, timed with events.
#include "check.h"

__global__ void square(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= data[i];
}

int main() {
  const int n = 1 << 14, streams = 4, part = n / streams;
  float *host = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&host, n * sizeof(float)));
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  for (int i = 0; i < n; ++i) host[i] = any_float(i);
  cudaStream_t stream[streams];
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  for (auto& s : stream) CHECK(cudaStreamCreate(&s));
  CHECK(cudaEventRecord(start));
  for (int s = 0; s < streams; ++s) {
    float *h = host + s * part, *d = device + s * part;
    CHECK(cudaMemcpyAsync(d, h, part * sizeof(float), cudaMemcpyHostToDevice, stream[s]));
    square<<<part / 256, 256, 0, stream[s]>>>(d, part);
    CHECK(cudaMemcpyAsync(h, d, part * sizeof(float), cudaMemcpyDeviceToHost, stream[s]));
  }
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  bool good = milliseconds > 0 && milliseconds < 10;
  for (int i = 0; i < n; ++i) good &= host[i] == any_float(i) * any_float(i);
  for (auto& s : stream) CHECK(cudaStreamDestroy(s));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  return verdict(good);
}
