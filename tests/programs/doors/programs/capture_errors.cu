// What a program may not do while a stream is captured: the errors that CUDA documents.
#include "check.h"

__global__ void touch(int* data) { *data = 1; }

static cudaStream_t stream, other, quiet;
static cudaEvent_t event;
static int* device;
static int faults = 0;

static void expect(cudaError_t got, cudaError_t wanted, const char* what) {
  static_cast<void>(cudaGetLastError());
  if (got == wanted) return;
  std::printf("%s: %s, not %s\n", what, cudaGetErrorName(got), cudaGetErrorName(wanted));
  ++faults;
}
static void begin(cudaStream_t one, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  CHECK(cudaStreamBeginCapture(one, mode));
}
static void end(cudaStream_t one, cudaError_t wanted, const char* what) {
  cudaGraph_t graph = nullptr;
  expect(cudaStreamEndCapture(one, &graph), wanted, what);
  if ((graph != nullptr) != (wanted == cudaSuccess)) ++faults;
  if (graph != nullptr) CHECK(cudaGraphDestroy(graph));
}
static void status_is(cudaStreamCaptureStatus wanted) {
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  if (status != wanted) ++faults;
}

static void waiting() {
  begin(stream);
  expect(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported, "synchronize");
  status_is(cudaStreamCaptureStatusInvalidated);
  touch<<<1, 1, 0, stream>>>(device);
  expect(cudaGetLastError(), cudaErrorStreamCaptureInvalidated, "launch");
  end(stream, cudaErrorStreamCaptureInvalidated, "end of an invalid capture");
  status_is(cudaStreamCaptureStatusNone);
  begin(stream);
  expect(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported, "device synchronize");
  end(stream, cudaErrorStreamCaptureInvalidated, "end");
  begin(stream);
  CHECK(cudaEventRecord(event, stream));
  expect(cudaEventQuery(event), cudaErrorCapturedEvent, "event query");
  end(stream, cudaErrorStreamCaptureInvalidated, "end");
}

static void joining() {
  begin(stream);
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  touch<<<1, 1, 0, other>>>(device);
  expect(cudaGetLastError(), cudaSuccess, "launch");
  end(stream, cudaErrorStreamCaptureUnjoined, "end without a join");
  expect(cudaStreamSynchronize(other), cudaSuccess, "the other stream is free");
  begin(stream);
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  end(other, cudaErrorStreamCaptureUnmatched, "end by another stream");
  end(stream, cudaErrorStreamCaptureInvalidated, "end");
  expect(cudaStreamWaitEvent(other, event, 0), cudaErrorCapturedEvent, "wait for a past capture");
  CHECK(cudaEventRecord(event, other));
  begin(stream);
  expect(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation, "outside work");
  end(stream, cudaErrorStreamCaptureInvalidated, "end");
  begin(stream);
  begin(other);
  CHECK(cudaEventRecord(event, stream));
  expect(cudaStreamWaitEvent(other, event, 0), cudaErrorStreamCaptureMerge, "two captures");
  end(stream, cudaErrorStreamCaptureInvalidated, "end");
  end(other, cudaErrorStreamCaptureInvalidated, "end");
}

static void outside() {
  int number = 0;
  void* memory = nullptr;
  begin(stream);
  touch<<<1, 1>>>(device);
  expect(cudaGetLastError(), cudaErrorStreamCaptureImplicit, "the legacy stream");
  end(stream, cudaErrorStreamCaptureInvalidated, "end");
  begin(quiet);
  touch<<<1, 1>>>(device);  // does not wait for a stream that does not block
  expect(cudaGetLastError(), cudaSuccess, "the legacy stream");
  expect(cudaMalloc(&memory, 16), cudaErrorStreamCaptureUnsupported, "cudaMalloc");
  end(quiet, cudaErrorStreamCaptureInvalidated, "end");
  begin(quiet, cudaStreamCaptureModeRelaxed);
  expect(cudaMalloc(&memory, 16), cudaSuccess, "cudaMalloc");
  CHECK(cudaMemcpy(&number, device, sizeof number, cudaMemcpyDeviceToHost));
  end(quiet, cudaSuccess, "end");
  begin(quiet);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  expect(cudaMalloc(&memory, 16), cudaSuccess, "cudaMalloc");
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  end(quiet, cudaSuccess, "end");
  if (number != 1) ++faults;
}

static void states() {
  cudaGraph_t graph = nullptr, inside;
  expect(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState, "end of none");
  begin(stream);
  expect(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaErrorIllegalState, "two");
  touch<<<1, 1, 0, stream>>>(device);
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 0;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &inside, &nodes, nullptr, &count));
  // A node of one's own, after what was captured, before what comes.
  cudaGraphNode_t own;
  CHECK(cudaGraphAddEmptyNode(&own, inside, nodes, count));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &own, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
  touch<<<1, 1, 0, stream>>>(device);
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t edges = 0;
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  if (count != 1 || id == 0 || inside != graph || edges != 2) ++faults;
  CHECK(cudaGraphDestroy(graph));
}

int main() {
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaStreamCreateWithFlags(&quiet, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMalloc(&device, sizeof(int)));
  waiting();
  joining();
  outside();
  states();
  touch<<<1, 1, 0, stream>>>(device);
  CHECK(cudaDeviceSynchronize());
  return verdict(faults == 0);
}
