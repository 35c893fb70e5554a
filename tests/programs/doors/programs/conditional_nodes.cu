// Conditional nodes: a body while a kernel says so, one of two bodies, one of several.
#include "check.h"

__global__ void count_down(cudaGraphConditionalHandle handle, int* left, int* done) {
  *done += 1;
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void choose(cudaGraphConditionalHandle handle, const int* which) {
  cudaGraphSetConditional(handle, *which);
}
__global__ void mark(int* where, int value) { *where = value; }

static cudaStream_t stream;

static void add_mark(cudaGraph_t graph, int* where, int value) {
  cudaGraphNode_t node;
  void* arguments[] = {&where, &value};
  cudaKernelNodeParams params = {};
  params.func = reinterpret_cast<void*>(mark);
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
}

/// A node with `size` bodies, after `after` where there is one.
static cudaGraph_t* add_choice(cudaGraph_t graph, cudaGraphNode_t* after, unsigned size,
                               cudaGraphConditionalNodeType type,
                               cudaGraphConditionalHandle handle) {
  cudaGraphNode_t node;
  cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after == nullptr ? 0 : 1, &params));
  return params.conditional.phGraph_out;
}

static void launch(cudaGraph_t graph) {
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(ready));
}

int main() {
  CHECK(cudaStreamCreate(&stream));
  int* numbers = to_device(std::vector<int>{3, 0, 1, 0});
  cudaGraph_t loop;
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphCreate(&loop, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, loop, 1, cudaGraphCondAssignDefault));
  cudaGraph_t* body = add_choice(loop, nullptr, 1, cudaGraphCondTypeWhile, handle);
  CHECK(cudaStreamBeginCaptureToGraph(stream, body[0], nullptr, nullptr, 0,
                                      cudaStreamCaptureModeRelaxed));
  count_down<<<1, 1, 0, stream>>>(handle, numbers, numbers + 1);
  cudaGraph_t same;
  CHECK(cudaStreamEndCapture(stream, &same));
  launch(loop);
  bool good = same == body[0] && to_host(numbers, 2) == std::vector<int>({0, 3});

  for (const int which : {0, 2, 3}) {
    cudaGraph_t graph;
    cudaGraphNode_t first;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    CHECK(cudaMemcpy(numbers + 2, &which, sizeof which, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(numbers, 0, 2 * sizeof(int)));
    int* from = numbers + 2;
    void* arguments[] = {&handle, &from};
    cudaKernelNodeParams params = {};
    params.func = reinterpret_cast<void*>(choose);
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
    cudaGraph_t* two = add_choice(graph, &first, 2, cudaGraphCondTypeIf, handle);
    add_mark(two[0], numbers, 1);
    add_mark(two[1], numbers, 2);
    cudaGraph_t* three = add_choice(graph, &first, 3, cudaGraphCondTypeSwitch, handle);
    for (int i = 0; i < 3; ++i) add_mark(three[i], numbers + 1, 10 + i);
    launch(graph);
    const std::vector<int> back = to_host(numbers, 2);
    good &= back[0] == (which != 0 ? 1 : 2) && back[1] == (which < 3 ? 10 + which : 0);
  }
  return verdict(good);
}
