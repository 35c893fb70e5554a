// CUDA 12's own forms: calls and fields that CUDA 13 dropped or gave other parameters.
#include <cstdio>

#include "../programs/check.h"

__global__ void add(int* x, int n) { atomicAdd(x, n); }

static bool properties_are_right() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  int clock = 0, version = 0;
  CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0));
  CHECK(cudaRuntimeGetVersion(&version));
  return p.major == 8 && p.clockRate == clock && clock > 0 && p.memoryClockRate > 0 &&
         p.multiProcessorCount == 108 && p.maxThreadsPerBlock == 1024 && version / 1000 == 12;
}

// add 1, then add 10, tied by the forms without edge data.
static bool graph_is_right(int* x) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  int one = 1, ten = 10;
  void* first_arguments[] = {&x, &one};
  void* second_arguments[] = {&x, &ten};
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(add);
  params.kernel.gridDim = params.kernel.blockDim = dim3(1);
  params.kernel.kernelParams = first_arguments;
  cudaGraphNode_t first, second, room[2];
  CHECK(cudaGraphAddNode(&first, graph, nullptr, 0, &params));
  params.kernel.kernelParams = second_arguments;
  CHECK(cudaGraphAddNode(&second, graph, nullptr, 0, &params));
  CHECK(cudaGraphAddDependencies(graph, &first, &second, 1));
  size_t edges = 0, after = 2, before = 2;
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  CHECK(cudaGraphNodeGetDependencies(second, room, &after));
  if (edges != 1 || after != 1 || room[0] != first) return false;
  CHECK(cudaGraphNodeGetDependentNodes(first, room, &before));
  if (before != 1 || room[0] != second) return false;
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaThreadSynchronize());
  return *x == 11;
}

static bool capture_is_right(int* x) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(x, 100);
  cudaStreamCaptureStatus state;
  unsigned long long id = 0;
  cudaGraph_t graph;
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
  CHECK(cudaStreamGetCaptureInfo(stream, &state, &id, &graph, &nodes, &count));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, nullptr, 0, cudaStreamSetCaptureDependencies));
  CHECK(cudaStreamEndCapture(stream, &graph));
  return state == cudaStreamCaptureStatusActive && count == 1 && *x == 11;
}

int main() {
  int* x;
  CHECK(cudaMallocManaged(&x, sizeof(int)));
  *x = 0;
  CHECK(cudaMemAdvise(x, sizeof(int), cudaMemAdviseSetPreferredLocation, 0));
  CHECK(cudaMemPrefetchAsync(x, sizeof(int), 0));
  const bool right = properties_are_right() && graph_is_right(x) && capture_is_right(x);
  return verdict(right);
}
