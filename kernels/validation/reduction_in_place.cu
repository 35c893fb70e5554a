// Sums of blocks of integers that overwrite their input in global memory. The reports of the first four are of -G: every expression counts.

extern "C" __global__ void sum_neighbors(int* in, int* out, unsigned n) {
  const unsigned t = threadIdx.x;
  if (t >= n) return;
  int* data = in + blockIdx.x * blockDim.x;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (t % (2 * stride) == 0) data[t] += data[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

// The working threads are the first ones.
extern "C" __global__ void sum_neighbors_packed(int* in, int* out, unsigned n) {
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int* data = in + blockIdx.x * blockDim.x;
  if (i >= n) return;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    const int at = 2 * stride * t;
    if (at < blockDim.x) data[at] += data[at + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

extern "C" __global__ void sum_halves(int* in, int* out, unsigned n) {
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int* data = in + blockIdx.x * blockDim.x;
  if (i >= n) return;
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (t < stride) data[t] += data[t + stride];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = data[0];
}

extern "C" __global__ void sum_in_shared(int* in, int* out, unsigned n) {
  extern __shared__ int part[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x, block = blockIdx.x;
  if (i < n) {
    part[t] = in[i];
  } else {
    part[t] = 0;
  }
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
    if (t < stride) part[t] += part[t + stride];
    __syncthreads();
  }
  if (t == 0) out[block] = part[0];
}

// Written out for blocks of up to 1024 threads; the last warp works without barriers.
extern "C" __global__ void sum_unrolled_in_place(int* in, int* out, unsigned n) {
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  int* data = in + blockIdx.x * blockDim.x;
  if (i >= n) return;
  if (blockDim.x >= 1024 && t < 512) data[t] += data[t + 512];
  __syncthreads();
  if (blockDim.x >= 512 && t < 256) data[t] += data[t + 256];
  __syncthreads();
  if (blockDim.x >= 256 && t < 128) data[t] += data[t + 128];
  __syncthreads();
  if (blockDim.x >= 128 && t < 64) data[t] += data[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile int* last = data;
    last[t] += last[t + 32];
    last[t] += last[t + 16];
    last[t] += last[t + 8];
    last[t] += last[t + 4];
    last[t] += last[t + 2];
    last[t] += last[t + 1];
  }
  if (t == 0) out[blockIdx.x] = data[0];
}
