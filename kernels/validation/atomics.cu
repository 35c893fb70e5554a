// Atomic additions: everyone to one address, to bins, and one lane for its warp.

extern "C" __global__ void dot_atomic(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, a[i] * b[i]);
}

extern "C" __global__ void dot_striding_atomic(const float* a, const float* b, float* sum, int n) {
  const int stride = gridDim.x * blockDim.x;  // signed: the compiler divides by it and unrolls the loop
  float part = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) part += a[i] * b[i];
  atomicAdd(sum, part);
}

extern "C" __global__ void sum_atomic(const float* in, float* sum, unsigned long long n) {
  const unsigned long long i = threadIdx.x + static_cast<unsigned long long>(blockDim.x) * blockIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

extern "C" __global__ void histogram_global(const unsigned* image, int width, int pitch, unsigned* bins) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width) atomicAdd(bins + image[y * pitch + x], 1u);
}

// Every block counts in its own 1024 bins first.
extern "C" __global__ void histogram_shared(const unsigned* image, int width, int pitch, unsigned* bins) {
  __shared__ unsigned own[1024];
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
  own[t] = 0;
  __syncthreads();
  if (x < width) atomicAdd(own + image[y * pitch + x], 1u);
  __syncthreads();
  if (own[t] > 0) atomicAdd(bins + t, own[t]);
}

// Positive elements are packed; the first lane takes the room for all of its warp.
extern "C" __global__ void copy_positive(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int value = in[i];
  if (value <= 0) return;
  const unsigned active = __activemask();
  const int lane = threadIdx.x & 31, leader = __ffs(active) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(count, __popc(active));
  base = __shfl_sync(active, base, leader);
  out[base + __popc(active & ((1u << lane) - 1))] = value;
}
