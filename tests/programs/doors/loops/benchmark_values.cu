// Launches between warpledger_begin_benchmark() and warpledger_end_benchmark(): durations, no values. The calls are looked
// up as a Python package would.
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr int kThreads = 256 * 512;

__global__ void work(const int* rounds, float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  for (int k = 0; k < *rounds; ++k) v = v * 1.0001f + 1.0f;
  x[i] = v;
}
__global__ void choose(int* rounds, int n) { *rounds = n; }

static void check(int error, const char* what) {
  if (error == 0) return;
  std::printf("%s: %d\n", what, error);
  std::exit(2);
}

template <class F>
F* find(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) check(1, name);
  return reinterpret_cast<F*>(found);
}

static void begin(int values) {
  check(find<int(const char*, int, int)>("warpledger_begin_benchmark")("benchmark", 0, values), "begin");
}
static int end() {
  int needed = 0;
  check(find<int(int*)>("warpledger_end_benchmark")(&needed), "end");
  return needed;
}

static int* rounds;
static float* x;

static float time_of(bool chosen_here, int n) {
  cudaEvent_t a, b;
  check(cudaEventCreate(&a), "event");
  check(cudaEventCreate(&b), "event");
  if (chosen_here) choose<<<1, 1>>>(rounds, n);
  if (!chosen_here) check(cudaMemcpy(rounds, &n, sizeof n, cudaMemcpyHostToDevice), "copy");
  check(cudaEventRecord(a), "record");
  work<<<512, 256>>>(rounds, x);
  check(cudaEventRecord(b), "record");
  check(cudaEventSynchronize(b), "wait");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, a, b), "time");
  return ms;
}

static bool holds(float value) {
  std::vector<float> got(kThreads);
  check(cudaMemcpy(got.data(), x, kThreads * sizeof(float), cudaMemcpyDeviceToHost), "copy");
  for (const float one : got) {
    if (one != value) return false;
  }
  return true;
}

int main() {
  check(cudaMalloc(&rounds, sizeof(int)), "malloc");
  check(cudaMalloc(&x, kThreads * sizeof(float)), "malloc");
  check(cudaMemset(x, 0, kThreads * sizeof(float)), "memset");
  const float real = time_of(false, 3000);
  check(cudaMemset(x, 0, kThreads * sizeof(float)), "memset");

  begin(0);
  const float few = time_of(false, 10), many = time_of(false, 3000), again = time_of(false, 10);
  std::printf("from memory: %d needed, %.6f %.6f %.6f ms, outside %.6f ms\n", end(), few, many, again, real);
  std::printf("memory is %s\n", holds(0) ? "as before" : "changed");

  begin(0);
  time_of(true, 3000);
  std::printf("from a launch: %d needed\n", end());
  begin(1);
  const float computed = time_of(true, 3000);
  std::printf("with values: %d needed, %.6f ms\n", end(), computed);
  std::printf("memory is %s\n", holds(0) ? "as before" : "changed");

  begin(0);
  time_of(false, 10);
  holds(0);
  std::printf("read by the host: %d needed\n", end());
}
