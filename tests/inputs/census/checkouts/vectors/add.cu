// Adds two vectors, as many elements as the argument says, and checks the sum.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int kLargest = 1 << 20;

__global__ void add(const int* a, const int* b, int* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : kLargest;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  int *a, *b, *sum;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&sum, n * sizeof(int));
  cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  add<<<(n + 127) / 128, 128>>>(a, b, sum, n);
  cudaMemcpy(host.data(), sum, n * sizeof(int), cudaMemcpyDeviceToHost);
  int faults = 0;
  for (int i = 0; i < n; ++i) faults += host[i] != 2 * i;
  std::printf("%d elements: %s\n", n, faults == 0 ? "PASSED" : "FAILED");
  return 0;
}
