// Copies and kernels on four streams, timed with events.
#include "check.h"

__global__ void square(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= data[i];
}

/// What is recorded after the host waited is not earlier than what it waited for.
static bool waits(cudaStream_t busy, float* device, int n) {
  cudaStream_t idle;
  cudaEvent_t before, after;
  CHECK(cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  square<<<n / 256, 256, 0, busy>>>(device, n);
  CHECK(cudaEventRecord(before, busy));
  CHECK(cudaStreamSynchronize(busy));
  CHECK(cudaEventRecord(after, idle));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, before, after));
  return milliseconds >= 0;
}

/// Events that a graph records: around a kernel, at each launch.
static bool in_a_graph(cudaStream_t stream, float* device, int n) {
  cudaEvent_t before, after;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaEventCreate(&before));
  CHECK(cudaEventCreate(&after));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecordWithFlags(before, stream, cudaEventRecordExternal));
  square<<<n / 256, 256, 0, stream>>>(device, n);
  CHECK(cudaEventRecordWithFlags(after, stream, cudaEventRecordExternal));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, before, after));
  return milliseconds > 0 && milliseconds < 10;
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
  good &= waits(stream[0], device, n) && in_a_graph(stream[1], device, n);
  for (auto& s : stream) CHECK(cudaStreamDestroy(s));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  return verdict(good);
}
