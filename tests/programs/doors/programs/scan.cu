// Inclusive prefix sums: blocks, then the sums of blocks, then added up.
#include "check.h"

__global__ void scan_block(const int* in, int* out, int* sums, int n) {
  extern __shared__ int data[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, tid = threadIdx.x;
  data[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    const int left = tid >= step ? data[tid - step] : 0;
    __syncthreads();
    data[tid] += left;
    __syncthreads();
  }
  if (i < n) out[i] = data[tid];
  if (sums != nullptr && tid == blockDim.x - 1) sums[blockIdx.x] = data[tid];
}

__global__ void add_offsets(int* out, const int* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x > 0 && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
  const int n = 20000, threads = 256, blocks = (n + threads - 1) / threads;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int>(any_float(i) * 10);
  int *din = to_device(in), *out = nullptr, *sums = nullptr, *scanned = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  CHECK(cudaMalloc(&sums, blocks * sizeof(int)));
  CHECK(cudaMalloc(&scanned, blocks * sizeof(int)));
  scan_block<<<blocks, threads, threads * sizeof(int)>>>(din, out, sums, n);
  scan_block<<<1, threads, threads * sizeof(int)>>>(sums, scanned, nullptr, blocks);
  add_offsets<<<blocks, threads>>>(out, scanned, n);
  CHECK(cudaDeviceSynchronize());
  const std::vector<int> got = to_host(out, n);
  bool good = true;
  for (int i = 0, sum = 0; i < n; ++i) good &= got[i] == (sum += in[i]);
  return verdict(good);
}
