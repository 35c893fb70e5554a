// Streams that join a capture through events: each part runs once a launch, in the order of the
// dependencies; streams, events and the graph may be gone before the launch.
#include "check.h"

__global__ void add(int* to, const int* from, int by) { *to += *from + by; }

static int* numbers;

static cudaGraph_t capture(cudaStream_t main, cudaStream_t side, cudaEvent_t fork,
                           cudaEvent_t join) {
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, main>>>(numbers, numbers + 3, 1);
  CHECK(cudaEventRecord(fork, main));
  CHECK(cudaStreamWaitEvent(side, fork, 0));
  add<<<1, 1, 0, side>>>(numbers + 1, numbers, 10);  // reads what the first wrote
  add<<<1, 1, 0, main>>>(numbers + 2, numbers, 100);
  CHECK(cudaEventRecord(join, side));
  CHECK(cudaStreamWaitEvent(main, join, 0));
  add<<<1, 1, 0, main>>>(numbers + 2, numbers + 1, 0);  // reads what both wrote
  CHECK(cudaStreamEndCapture(main, &graph));
  return graph;
}

/// Launches of a graph whose parts are destroyed before; bits: side stream and events, main
/// stream, graph.
static bool run(int destroyed, int launches) {
  cudaStream_t main, side, launch;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking));
  CHECK(cudaStreamCreate(&side));
  CHECK(cudaStreamCreate(&launch));
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaMemset(numbers, 0, 4 * sizeof(int)));
  cudaGraph_t graph = capture(main, side, fork, join);
  const bool untouched = to_host(numbers, 1)[0] == 0;
  cudaGraphExec_t ready;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  if (destroyed & 1) {
    CHECK(cudaStreamDestroy(side));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
  }
  if (destroyed & 2) CHECK(cudaStreamDestroy(main));
  if (destroyed & 4) CHECK(cudaGraphDestroy(graph));
  for (int k = 0; k < launches; ++k) CHECK(cudaGraphLaunch(ready, launch));
  CHECK(cudaStreamSynchronize(launch));
  CHECK(cudaGraphExecDestroy(ready));
  // First launch: 1, 11, 101 + 11; then 2, 11 + 12, 112 + 102 + 23.
  const std::vector<int> once = {1, 11, 112}, twice = {2, 23, 237};
  return untouched && to_host(numbers, 3) == (launches == 1 ? once : twice);
}

int main() {
  CHECK(cudaMalloc(&numbers, 4 * sizeof(int)));
  bool good = run(0, 2);
  for (int destroyed = 1; destroyed < 8; ++destroyed) good &= run(destroyed, 1);
  return verdict(good);
}
