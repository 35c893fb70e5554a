// Launches of many blocks with a loop, in place: a block that ran twice, or not at all, shows.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kBlocks = 16384, kThreads = 256, kRows = 8;

// Addresses follow from parameters alone: a part of the grid can stand for it.
__global__ void add_rows(const float* rows, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = sums[i];
  for (int row = 0; row < n; ++row) sum += rows[row * kBlocks * kThreads / kRows + i / kRows];
  sums[i] = sum;
}

// Addresses follow from what the launch itself wrote.
__global__ void follow(int* next, float* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  next[i] = i ^ 1;
  for (int step = 0; step < 2; ++step) sums[i] += static_cast<float>(next[next[i]] == i);
}

static void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

int main() {
  const size_t count = size_t{kBlocks} * kThreads;
  std::vector<float> ones(count, 1.0f), sums(count);
  float *rows = nullptr, *device_sums = nullptr;
  int* next = nullptr;
  check(cudaMalloc(&rows, count * sizeof(float)), "malloc");
  check(cudaMalloc(&device_sums, count * sizeof(float)), "malloc");
  check(cudaMalloc(&next, count * sizeof(int)), "malloc");
  check(cudaMemcpy(rows, ones.data(), count * sizeof(float), cudaMemcpyHostToDevice), "copy");
  check(cudaMemset(device_sums, 0, count * sizeof(float)), "memset");
  add_rows<<<kBlocks, kThreads>>>(rows, device_sums, kRows);
  follow<<<kBlocks, kThreads>>>(next, device_sums);
  check(cudaMemcpy(sums.data(), device_sums, count * sizeof(float), cudaMemcpyDeviceToHost), "copy");
  size_t wrong = 0;
  for (const float sum : sums) wrong += sum != kRows + 2.0f;
  std::printf(wrong == 0 ? "PASSED\n" : "%zu wrong\n", wrong);
}
