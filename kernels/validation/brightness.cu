// Interleaved red, green and blue integers made brighter through shared memory, with strided or coalesced copies.

__device__ int brighter(int value, float factor) { return min(255, static_cast<int>(value * factor)); }

template <int kThreads, int kPerThread>
__device__ void strided(const int* in, int* out, float factor) {
  __shared__ int before[kThreads * kPerThread], after[kThreads * kPerThread];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    before[kPerThread * t + j] = in[kPerThread * i + j];
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    after[kPerThread * t + j] = brighter(before[kPerThread * t + j], factor);
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kPerThread; ++j) {
    out[kPerThread * i + j] = after[kPerThread * t + j];
    __syncthreads();
  }
}

extern "C" __global__ void brighten_stride3(const int* in, int* out, float factor) {
  strided<1024, 3>(in, out, factor);
}

extern "C" __global__ void brighten_stride12(const int* in, int* out, float factor) {
  strided<512, 12>(in, out, factor);
}

extern "C" __global__ void brighten_coalesced(const int* in, int* out, float factor) {
  __shared__ int before[3 * 1024], after[3 * 1024];
  const int t = threadIdx.x, first = 3 * blockIdx.x * 1024;
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    before[t + c * 1024] = in[first + t + c * 1024];
    __syncthreads();
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    after[3 * t + c] = brighter(before[3 * t + c], factor);
    __syncthreads();
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    out[first + t + c * 1024] = after[t + c * 1024];
    __syncthreads();
  }
}
