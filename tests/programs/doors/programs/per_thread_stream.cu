// nvcc: -default-stream per-thread
// The per-thread default stream, callbacks and events between streams.
#include "check.h"

__global__ void add(int* data, int by) { data[threadIdx.x] += by; }

int main() {
  int *device = to_device(std::vector<int>(32, 0)), called = 0;
  cudaStream_t other;
  cudaEvent_t done;
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  add<<<1, 32>>>(device, 1);
  CHECK(cudaEventRecord(done, cudaStreamPerThread));
  CHECK(cudaStreamWaitEvent(other, done, 0));
  add<<<1, 32, 0, other>>>(device, 2);
  CHECK(cudaLaunchHostFunc(other, [](void* p) { ++*static_cast<int*>(p); }, &called));
  CHECK(cudaStreamSynchronize(other));
  std::vector<int> host(32);
  CHECK(cudaMemcpyAsync(host.data(), device, 32 * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  bool good = called == 1 && cudaEventQuery(done) == cudaSuccess;
  for (const int value : host) good &= value == 3;
  return verdict(good);
}
