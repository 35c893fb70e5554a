// One shape, other work: how long a launch takes follows from an argument, or from what is in
// memory. Events must say so.
#include "check.h"

__global__ void by_argument(float* x, int turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int k = 0; k < turns; ++k) value = value * 0.5f + 1.0f;
  x[i] = value;
}

__global__ void by_memory(float* x, const int* turns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = x[i];
  for (int k = 0; k < *turns; ++k) value = value * 0.5f + 1.0f;
  x[i] = value;
}

template <class Launch>
float milliseconds(Launch launch) {
  static cudaEvent_t first = nullptr, last = nullptr;
  if (first == nullptr) {
    CHECK(cudaEventCreate(&first));
    CHECK(cudaEventCreate(&last));
  }
  CHECK(cudaEventRecord(first));
  launch();
  CHECK(cudaEventRecord(last));
  CHECK(cudaEventSynchronize(last));
  float time = 0;
  CHECK(cudaEventElapsedTime(&time, first, last));
  return time;
}

int main() {
  const int threads = 4096;
  float* x = to_device(std::vector<float>(threads, 0));
  int* turns = to_device(std::vector<int>{0});
  std::vector<float> argument, memory;
  for (const int n : {10, 4000, 10, 10, 10, 10, 4000, 10}) {
    argument.push_back(milliseconds([&] { by_argument<<<threads / 256, 256>>>(x, n); }));
    CHECK(cudaMemcpy(turns, &n, sizeof n, cudaMemcpyHostToDevice));
    memory.push_back(milliseconds([&] { by_memory<<<threads / 256, 256>>>(x, turns); }));
    std::printf("%4d turns: %.6f ms by argument, %.6f ms by memory\n", n, argument.back(),
                memory.back());
  }
  bool good = true;
  for (const std::vector<float>* times : {&argument, &memory}) {
    const std::vector<float>& t = *times;
    for (const int same : {2, 3, 4, 5, 7}) good &= close(t[same], t[0], 1e-6);
    good &= close(t[6], t[1], 1e-6) && t[1] > 5 * t[0];
  }
  const std::vector<float> got = to_host(x, threads);
  for (const float value : got) good &= close(value, 2);
  return verdict(good);
}
