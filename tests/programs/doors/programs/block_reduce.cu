// Sums of blocks by shuffles inside branches: the first warp adds up what the others have left,
// once with all its lanes and once with a ballot of those that have something.
#include "check.h"

__device__ int warp_sum(unsigned lanes, int value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(lanes, value, step);
  return value;
}

__device__ int sum_of(const int* in, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i];
  return sum;
}

__global__ void by_first_warp(const int* in, int* out, int n) {
  __shared__ int parts[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = warp_sum(~0u, sum_of(in, n));
  if (lane == 0) parts[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? parts[lane] : 0;
    sum = warp_sum(~0u, sum);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}

__global__ void by_ballot(const int* in, int* out, int n) {
  __shared__ int parts[32];
  const int warps = blockDim.x / 32;
  int sum = warp_sum(~0u, sum_of(in, n));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  const unsigned lanes = __ballot_sync(~0u, threadIdx.x < warps);
  if (threadIdx.x < warps) {
    sum = parts[threadIdx.x];
    for (int step = warps / 2; step > 0; step /= 2) sum += __shfl_down_sync(lanes, sum, step);
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

bool is_sum(const std::vector<int>& parts, const std::vector<int>& in) {
  long difference = 0;
  for (const int value : in) difference += value;
  for (const int value : parts) difference -= value;
  return difference == 0;
}

int main() {
  const int n = 1 << 20, blocks = 64;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int>(any_float(i) * 100);
  const int* device = to_device(in);
  int* out = nullptr;
  CHECK(cudaMalloc(&out, blocks * sizeof(int)));
  by_first_warp<<<blocks, 256>>>(device, out, n);
  CHECK(cudaDeviceSynchronize());
  bool good = is_sum(to_host(out, blocks), in);
  by_ballot<<<blocks, 256>>>(device, out, n);
  CHECK(cudaDeviceSynchronize());
  good &= is_sum(to_host(out, blocks), in);
  return verdict(good);
}
