// Sums of blocks through shared memory and shuffles, step by step from the slowest form to the quickest.

// Strides 1, 2, 4, ...: the threads that work lie apart.
extern "C" __global__ void sum_interleaved(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned i = 1; i < blockDim.x; i *= 2) {
    if (t % (2 * i) == 0) part[t] += part[t + i];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

// Two elements a thread, strides 128, 64, ...
extern "C" __global__ void sum_two_loads(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  part[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__device__ void finish_in_warp(volatile float* part, unsigned t) {
  part[t] += part[t + 32];
  part[t] += part[t + 16];
  part[t] += part[t + 8];
  part[t] += part[t + 4];
  part[t] += part[t + 2];
  part[t] += part[t + 1];
}

extern "C" __global__ void sum_last_warp(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  part[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 32; stride >>= 1) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t < 32) finish_in_warp(part, t);
  if (t == 0) out[blockIdx.x] = part[0];
}

template <unsigned kThreads>
__device__ void tree(float* part, unsigned t) {
  if (kThreads >= 512) {
    if (t < 256) part[t] += part[t + 256];
    __syncthreads();
  }
  if (kThreads >= 256) {
    if (t < 128) part[t] += part[t + 128];
    __syncthreads();
  }
  if (kThreads >= 128) {
    if (t < 64) part[t] += part[t + 64];
    __syncthreads();
  }
  if (t < 32) finish_in_warp(part, t);
}

extern "C" __global__ void sum_unrolled(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + t;
  part[t] = in[i] + in[i + blockDim.x];
  __syncthreads();
  tree<256>(part, t);
  if (t == 0) out[blockIdx.x] = part[0];
}

constexpr int kPerThread = 256;

// A block owns 256 * kPerThread elements.
extern "C" __global__ void sum_many(const float* in, float* out) {
  __shared__ float part[256];
  const unsigned t = threadIdx.x, first = blockIdx.x * 256 * kPerThread + t;
  *const_cast<volatile float*>(part + t) = 0;  // the report counts this store
  float sum = 0;
#pragma unroll 16
  for (int k = 0; k < kPerThread; ++k) sum += in[first + k * 256];
  part[t] = sum;
  __syncthreads();
  tree<256>(part, t);
  if (t == 0) out[blockIdx.x] = part[0];
}

__device__ float warp_sum(float sum, int width) {
  for (int offset = width / 2; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  return sum;
}

extern "C" __global__ void sum_shuffle(const float* in, float* out) {
  __shared__ float sums[32];
  const unsigned t = threadIdx.x, lane = t % 32, first = blockIdx.x * (blockDim.x * kPerThread) + t;
  float sum = 0;
  for (int k = 0; k < kPerThread; ++k) sum += in[first + k * 256];
  sum = warp_sum(sum, 32);
  if (lane == 0) sums[t / 32] = sum;
  __syncthreads();
  sum = t < blockDim.x / 32 ? sums[lane] : 0;  // by every warp, as the report counts it
  if (t < 32) sum = warp_sum(sum, 8);
  if (t == 0) out[blockIdx.x] = sum;
}

// The grid strides over the input; one atomic addition a block.
extern "C" __global__ void sum_tree_atomic(const float* in, float* out, unsigned long long n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  part[t] = 0;
  for (unsigned long long i = t + static_cast<unsigned long long>(blockDim.x) * blockIdx.x; i < n;
       i += static_cast<unsigned long long>(gridDim.x) * blockDim.x) {
    part[t] += in[i];
  }
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    if (t < stride) part[t] += part[t + stride];
  }
  if (t == 0) atomicAdd(out, part[0]);
}

extern "C" __global__ void sum_shuffle_atomic(const float* in, float* out, unsigned long long n) {
  __shared__ float sums[32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float sum = 0;
  for (unsigned long long i = t + static_cast<unsigned long long>(blockDim.x) * blockIdx.x; i < n;
       i += static_cast<unsigned long long>(gridDim.x) * blockDim.x) {
    sum += in[i];
  }
  sum = warp_sum(sum, 32);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = t < blockDim.x / 32 ? sums[lane] : 0;
  sum = warp_sum(sum, 32);
  if (t == 0) atomicAdd(out, sum);
}

// One block a row of a square matrix.
extern "C" __global__ void row_sums_by_block(const float* in, float* out, unsigned long long n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  part[t] = 0;
  for (unsigned long long i = t; i < n; i += blockDim.x) part[t] += in[blockIdx.x * n + i];
  for (unsigned stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    if (t < stride) part[t] += part[t + stride];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

extern "C" __global__ void dot_tree(const float* a, const float* b, float* out, int n) {
  extern __shared__ float product[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  product[t] = i < n ? a[i] * b[i] : 0;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (t < stride) product[t] += product[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = product[0];
}

// Integers, four a thread, then strides written out for blocks of up to 1024 threads.
extern "C" __global__ void sum_int_four_loads(const int* in, int* out, unsigned n) {
  __shared__ int part[128];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 4 + t;
  int sum = 0;
  if (i + 3 * blockDim.x < n) {
    sum = in[i] + in[i + blockDim.x] + in[i + 2 * blockDim.x] + in[i + 3 * blockDim.x];
  }
  part[t] = sum;
  __syncthreads();
  if (blockDim.x >= 1024 && t < 512) part[t] += part[t + 512];
  __syncthreads();
  if (blockDim.x >= 512 && t < 256) part[t] += part[t + 256];
  __syncthreads();
  if (blockDim.x >= 256 && t < 128) part[t] += part[t + 128];
  __syncthreads();
  if (blockDim.x >= 128 && t < 64) part[t] += part[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile int* last = part;
    last[t] += last[t + 32];
    last[t] += last[t + 16];
    last[t] += last[t + 8];
    last[t] += last[t + 4];
    last[t] += last[t + 2];
    last[t] += last[t + 1];
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
