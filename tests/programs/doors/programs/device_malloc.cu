// Memory that kernels allocate, use in a later launch and free.
#include "check.h"

__global__ void make(int** lists, int n) {
  const int i = threadIdx.x;
  lists[i] = (int*)malloc(n * sizeof(int));
  for (int k = 0; k < n; ++k) lists[i][k] = i * k;
}
__global__ void use(int** lists, int* sums, int n) {
  const int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += lists[i][k];
  sums[i] = sum;
  free(lists[i]);
}

int main() {
  const int threads = 32, n = 20;
  int **lists = nullptr, *sums = nullptr;
  CHECK(cudaMalloc(&lists, threads * sizeof(int*)));
  CHECK(cudaMalloc(&sums, threads * sizeof(int)));
  make<<<1, threads>>>(lists, n);
  use<<<1, threads>>>(lists, sums, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(sums, threads);
  bool good = true;
  for (int i = 0; i < threads; ++i) good &= got[i] == i * n * (n - 1) / 2;
  return verdict(good);
}
