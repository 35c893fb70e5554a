// A graph made node by node: kernels, copies, fills, host functions, events, child graphs; its
// nodes and edges; parameters that are changed before and after it is instantiated.
#include "check.h"

#include <cstring>

__global__ void scale(int* data, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * by + 1;
}

const int n = 256;
static int calls = 0;
static void count_call(void* by) { calls += *static_cast<int*>(by); }

struct Parts {
  cudaGraph_t graph;
  cudaGraphNode_t fill, kernel, copy, host, empty;
};

static cudaKernelNodeParams kernel_params(void** arguments) {
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void*>(scale);
  params.gridDim = dim3(n / 64);
  params.blockDim = dim3(64);
  params.kernelParams = arguments;
  return params;
}

static Parts build(int* device, int* back, int by, int* step) {
  Parts parts;
  CHECK(cudaGraphCreate(&parts.graph, 0));
  cudaMemsetParams fill = {};
  fill.dst = device;
  fill.value = 0x00000003;
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&parts.fill, parts.graph, nullptr, 0, &fill));
  int count = n;
  void* arguments[] = {&device, &count, &by};  // copied: they go out of scope
  const cudaKernelNodeParams kernel = kernel_params(arguments);
  CHECK(cudaGraphAddKernelNode(&parts.kernel, parts.graph, &parts.fill, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&parts.copy, parts.graph, nullptr, 0, back, device,
                                 n * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddDependencies(parts.graph, &parts.kernel, &parts.copy, nullptr, 1));
  const cudaHostNodeParams host = {count_call, step};
  CHECK(cudaGraphAddHostNode(&parts.host, parts.graph, &parts.copy, 1, &host));
  CHECK(cudaGraphAddEmptyNode(&parts.empty, parts.graph, &parts.host, 1));
  return parts;
}

static bool has_shape(const Parts& parts) {
  size_t nodes = 0, roots = 0, edges = 0, after = 0, before = 0;
  CHECK(cudaGraphGetNodes(parts.graph, nullptr, &nodes));
  CHECK(cudaGraphGetRootNodes(parts.graph, nullptr, &roots));
  CHECK(cudaGraphGetEdges(parts.graph, nullptr, nullptr, nullptr, &edges));
  CHECK(cudaGraphNodeGetDependencies(parts.copy, nullptr, nullptr, &after));
  CHECK(cudaGraphNodeGetDependentNodes(parts.copy, nullptr, nullptr, &before));
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(parts.copy, &type));
  cudaGraphNode_t room[3] = {}, root;
  size_t one = 1, three = 3;
  CHECK(cudaGraphGetRootNodes(parts.graph, &root, &one));
  CHECK(cudaGraphNodeGetDependencies(parts.copy, room, nullptr, &three));
  return nodes == 5 && roots == 1 && edges == 4 && after == 1 && before == 1 && three == 1 &&
         type == cudaGraphNodeTypeMemcpy && root == parts.fill && room[0] == parts.kernel &&
         room[1] == nullptr;
}

int main() {
  int* device = nullptr;
  CHECK(cudaMalloc(&device, n * sizeof(int)));
  std::vector<int> back(n);
  int step = 1, ten = 10;
  Parts parts = build(device, back.data(), 2, &step);
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, parts.graph, 0));
  CHECK(cudaGraphLaunch(ready, nullptr));
  bool good = has_shape(parts) && back[n - 1] == 3 * 2 + 1 && calls == 1;

  // What the executable graph does may change, node by node ...
  cudaKernelNodeParams params;
  CHECK(cudaGraphKernelNodeGetParams(parts.kernel, &params));
  good &= params.func == reinterpret_cast<void*>(scale) && params.blockDim.x == 64;
  int by = 0;
  std::memcpy(&by, params.kernelParams[2], sizeof by);
  int count = n, five = 5;
  void* arguments[] = {&device, &count, &five};
  const cudaKernelNodeParams changed = kernel_params(arguments);
  CHECK(cudaGraphExecKernelNodeSetParams(ready, parts.kernel, &changed));
  const cudaHostNodeParams host = {count_call, &ten};
  CHECK(cudaGraphExecHostNodeSetParams(ready, parts.host, &host));
  CHECK(cudaGraphLaunch(ready, nullptr));
  good &= by == 2 && back[0] == 3 * 5 + 1 && calls == 11;

  // ... or as a whole, from a graph of the same shape, and only from such a one.
  Parts same = build(device, back.data(), 7, &step);
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(ready, same.graph, &info));
  CHECK(cudaGraphLaunch(ready, nullptr));
  good &= back[1] == 3 * 7 + 1 && calls == 12 && info.result == cudaGraphExecUpdateSuccess;
  CHECK(cudaGraphRemoveDependencies(same.graph, &same.host, &same.empty, nullptr, 1));
  good &= cudaGraphExecUpdate(ready, same.graph, &info) == cudaErrorGraphExecUpdateFailure;
  good &= info.result == cudaGraphExecUpdateErrorTopologyChanged && info.errorNode == same.empty;
  CHECK(cudaGraphNodeSetEnabled(ready, parts.kernel, 0));
  CHECK(cudaGraphLaunch(ready, nullptr));
  good &= back[2] == 3;

  // A child graph is copied into its node; two of them run one after the other.
  cudaGraph_t outer, inner;
  cudaGraphNode_t first, second, found;
  CHECK(cudaGraphCreate(&outer, 0));
  CHECK(cudaGraphAddChildGraphNode(&first, outer, nullptr, 0, parts.graph));
  CHECK(cudaGraphDestroyNode(parts.fill));
  CHECK(cudaGraphAddChildGraphNode(&second, outer, &first, 1, parts.graph));
  CHECK(cudaGraphChildGraphNodeGetGraph(second, &inner));
  CHECK(cudaGraphNodeFindInClone(&found, parts.kernel, inner));
  cudaGraphExec_t both;
  CHECK(cudaGraphInstantiateWithFlags(&both, outer, 0));
  CHECK(cudaGraphDestroy(parts.graph));
  CHECK(cudaGraphLaunch(both, nullptr));
  good &= back[3] == (3 * 2 + 1) * 2 + 1;

  // What a node is does not change with its parameters.
  cudaGraphNodeParams other = {cudaGraphNodeTypeEmpty};
  good &= cudaGraphNodeSetParams(first, &other) == cudaErrorInvalidValue;

  // A graph with a cycle does not run.
  CHECK(cudaGraphAddDependencies(outer, &second, &first, nullptr, 1));
  cudaGraphExec_t never;
  good &= cudaGraphInstantiate(&never, outer, 0) == cudaErrorInvalidValue;
  return verdict(good);
}
