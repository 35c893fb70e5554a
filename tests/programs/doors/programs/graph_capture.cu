// A stream captured into a graph, which is launched several times.
#include "check.h"

__global__ void increment(int* data, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by;
}

int main() {
  const int n = 1024;
  std::vector<int> host(n, 0);
  int* device = to_device(host);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t ready;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int k = 1; k <= 3; ++k) increment<<<n / 256, 256, 0, stream>>>(device, n, k);
  CHECK(cudaMemcpyAsync(host.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  const bool untouched = to_host(device, n)[0] == 0;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  for (int k = 0; k < 5; ++k) CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
  bool good = untouched;
  for (int i = 0; i < n; ++i) good &= host[i] == 30;
  return verdict(good);
}
