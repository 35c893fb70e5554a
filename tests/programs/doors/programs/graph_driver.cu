// nvcc: -lcuda
// Graphs through the driver's interface: captured on two streams, and made node by node.
#include <cuda.h>

#include "check.h"

__global__ void add(int* to, const int* from, int by) { *to += *from + by; }

static CUfunction function;

static void launch(CUstream stream, CUdeviceptr to, CUdeviceptr from, int by) {
  void* arguments[] = {&to, &from, &by};
  CHECK_DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr));
}

static CUgraph capture(CUdeviceptr numbers, CUstream main, CUstream side) {
  CUevent fork, join;
  CUgraph graph;
  CHECK_DRIVER(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING));
  CHECK_DRIVER(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING));
  CHECK_DRIVER(cuStreamBeginCapture(main, CU_STREAM_CAPTURE_MODE_GLOBAL));
  launch(main, numbers, numbers + 12, 1);
  CHECK_DRIVER(cuEventRecord(fork, main));
  CHECK_DRIVER(cuStreamWaitEvent(side, fork, 0));
  launch(side, numbers + 4, numbers, 10);
  CHECK_DRIVER(cuEventRecord(join, side));
  CHECK_DRIVER(cuStreamWaitEvent(main, join, 0));
  launch(main, numbers + 8, numbers + 4, 100);
  CHECK_DRIVER(cuStreamEndCapture(main, &graph));
  CHECK_DRIVER(cuEventDestroy(fork));
  CHECK_DRIVER(cuEventDestroy(join));
  return graph;
}

static CUgraph build(CUdeviceptr numbers, CUgraphNode* kernel) {
  CUgraph graph;
  CUgraphNode fill;
  CHECK_DRIVER(cuGraphCreate(&graph, 0));
  CUDA_MEMSET_NODE_PARAMS zeros = {};
  zeros.dst = numbers;
  zeros.elementSize = 4;
  zeros.width = 4;
  zeros.height = 1;
  CHECK_DRIVER(cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &zeros, nullptr));
  CUdeviceptr from = numbers + 4;
  int by = 5;
  void* arguments[] = {&numbers, &from, &by};
  CUDA_KERNEL_NODE_PARAMS params = {};
  params.func = function;
  params.gridDimX = params.gridDimY = params.gridDimZ = 1;
  params.blockDimX = params.blockDimY = params.blockDimZ = 1;
  params.kernelParams = arguments;
  CHECK_DRIVER(cuGraphAddKernelNode(kernel, graph, &fill, 1, &params));
  return graph;
}

/// A node that fills if its condition holds, which it does from the start.
static bool fills_if(CUdeviceptr numbers, CUstream stream) {
  CUgraph graph;
  CUgraphNode choice, fill;
  CUgraphExec ready;
  CUgraphNodeParams params = {CU_GRAPH_NODE_TYPE_CONDITIONAL};
  CHECK_DRIVER(cuGraphCreate(&graph, 0));
  CHECK_DRIVER(cuGraphConditionalHandleCreate(&params.conditional.handle, graph, nullptr, 1,
                                              CU_GRAPH_COND_ASSIGN_DEFAULT));
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 1;
  CHECK_DRIVER(cuGraphAddNode(&choice, graph, nullptr, nullptr, 0, &params));
  CUgraphNodeParams body = {CU_GRAPH_NODE_TYPE_MEMSET};
  body.memset.dst = numbers;
  body.memset.value = 9;
  body.memset.elementSize = 4;
  body.memset.width = body.memset.height = 1;
  CHECK_DRIVER(
      cuGraphAddNode(&fill, params.conditional.phGraph_out[0], nullptr, nullptr, 0, &body));
  CHECK_DRIVER(cuGraphInstantiate(&ready, graph, 0));
  CHECK_DRIVER(cuGraphLaunch(ready, stream));
  CHECK_DRIVER(cuStreamSynchronize(stream));
  return to_host(reinterpret_cast<int*>(numbers), 1)[0] == 9;
}

int main() {
  int* device = to_device(std::vector<int>(4, 0));
  const auto numbers = reinterpret_cast<CUdeviceptr>(device);
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(add)));
  CUstream main, side;
  CHECK_DRIVER(cuStreamCreate(&main, CU_STREAM_NON_BLOCKING));
  CHECK_DRIVER(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING));
  CUgraphExec ready;
  CUgraph captured = capture(numbers, main, side);
  CHECK_DRIVER(cuGraphInstantiate(&ready, captured, 0));
  CHECK_DRIVER(cuStreamDestroy(side));
  CHECK_DRIVER(cuGraphDestroy(captured));
  CHECK_DRIVER(cuGraphLaunch(ready, main));
  CHECK_DRIVER(cuStreamSynchronize(main));
  bool good = to_host(device, 3) == std::vector<int>({1, 11, 111});

  CUgraphNode kernel;
  CUgraph built = build(numbers, &kernel);
  size_t nodes = 0;
  CHECK_DRIVER(cuGraphGetNodes(built, nullptr, &nodes));
  CHECK_DRIVER(cuGraphInstantiate(&ready, built, 0));
  CUDA_KERNEL_NODE_PARAMS params;
  CHECK_DRIVER(cuGraphKernelNodeGetParams(kernel, &params));
  int by = 7;
  void* arguments[] = {params.kernelParams[0], params.kernelParams[1], &by};
  params.kernelParams = arguments;
  CHECK_DRIVER(cuGraphExecKernelNodeSetParams(ready, kernel, &params));
  CHECK_DRIVER(cuGraphLaunch(ready, main));
  CHECK_DRIVER(cuStreamSynchronize(main));
  good &= nodes == 2 && to_host(device, 3) == std::vector<int>({7, 0, 0});
  good &= fills_if(numbers, main);
  good &= cuMemcpyDtoH(nullptr, numbers, 16) == CUDA_ERROR_INVALID_VALUE;
  good &= cuMemcpyHtoD(numbers, nullptr, 16) == CUDA_ERROR_INVALID_VALUE;
  good &= cuDeviceGetCount(nullptr) == CUDA_ERROR_INVALID_VALUE;
  return verdict(good);
}
