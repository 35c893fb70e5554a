// Memory that a graph allocates and frees: captured, made node by node, and kept past the launch.
#include "check.h"

__global__ void square(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] * from[i];
}

const int n = 2000;
static std::vector<float> host(n), back(n);

static bool is_right() {
  bool good = true;
  for (int i = 0; i < n; ++i) good &= back[i] == host[i] * host[i];
  back.assign(n, 0);
  return good;
}

static void launch(cudaGraph_t graph, cudaStream_t stream, unsigned long long flags, int times) {
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, flags));
  for (int k = 0; k < times; ++k) CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
}

/// What the device says of it: the launch had it and gave it back.
static bool is_counted() {
  unsigned long long now = 1, most = 0, zero = 0, unknown = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &now));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most));
  CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  CHECK(cudaDeviceGraphMemTrim(0));
  const cudaError_t set = cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero);
  const cudaError_t device =
      cudaDeviceGetGraphMemAttribute(1, cudaGraphMemAttrUsedMemHigh, &unknown);
  return now == 0 && most == 2 * n * sizeof(float) && zero == 0 && set == cudaErrorInvalidValue &&
         device == cudaErrorInvalidDevice;
}

static bool captured(cudaStream_t stream) {
  float *a, *b;
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMallocAsync(&a, n * sizeof(float), stream));
  CHECK(cudaMallocAsync(&b, n * sizeof(float), stream));
  CHECK(cudaMemcpyAsync(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
  square<<<(n + 255) / 256, 256, 0, stream>>>(a, b, n);
  CHECK(cudaFreeAsync(a, stream));
  CHECK(cudaMemcpyAsync(back.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(b, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  launch(graph, stream, 0, 2);
  // Outside of the launch the memory is nobody's.
  const cudaError_t late = cudaMemcpy(back.data(), b, sizeof(float), cudaMemcpyDeviceToHost);
  return is_right() && late == cudaErrorInvalidValue && is_counted();
}

/// Freed after the graph, by the program or by the next launch.
static bool kept(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphNode_t memory, copy;
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = n * sizeof(float);
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &params));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &memory, 1, params.dptr, host.data(),
                                 n * sizeof(float), cudaMemcpyHostToDevice));
  cudaGraphExec_t twice;
  CHECK(cudaGraphInstantiate(&twice, graph, 0));
  CHECK(cudaGraphLaunch(twice, stream));
  const bool again = cudaGraphLaunch(twice, stream) == cudaErrorInvalidValue;  // it is not freed
  CHECK(cudaFreeAsync(params.dptr, stream));
  launch(graph, stream, cudaGraphInstantiateFlagAutoFreeOnLaunch, 2);
  float* result = nullptr;
  CHECK(cudaMalloc(&result, n * sizeof(float)));
  square<<<(n + 255) / 256, 256, 0, stream>>>(static_cast<float*>(params.dptr), result, n);
  CHECK(cudaMemcpy(back.data(), result, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(params.dptr));
  return is_right() && again;
}

int main() {
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i % 100);
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const bool good = captured(stream) && kept(stream);
  return verdict(good);
}
