// Shared memory, barriers, warp shuffles, atomics.
extern "C" __global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[32];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(~0u, sum, offset);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

extern __shared__ int dynamic[];
extern "C" __global__ void tree_max(const int* in, int* out) {
  dynamic[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) dynamic[threadIdx.x] = max(dynamic[threadIdx.x], dynamic[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicMax(out, dynamic[0]);
}

extern "C" __global__ void counted(const int* in, int* out) {
  out[0] = __syncthreads_count(in[threadIdx.x] > 0);
  out[1] = __syncthreads_and(in[threadIdx.x] > 1);
  out[2] = __syncthreads_or(in[threadIdx.x] > 2);
}
