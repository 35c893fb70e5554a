// Lanes that are off where a neighbor would lie outside of memory.
extern "C" {
__global__ void pair_sums(const float* in, float* out) {  // odd threads add their left neighbor
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if ((t + 1) % 2 == 0) s[t] = s[t] + s[t - 1];
  __syncthreads();
  out[blockIdx.x * 256 + t] = s[t];
}
__global__ void tree_sum(const int* in, int* out) {  // the same at distances of 1, 2, 4, ...
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int width = 2; width <= 256; width *= 2) {
    if ((t + 1) % width == 0) s[t] += s[t - width / 2];
    __syncthreads();
  }
  if (t == 255) out[blockIdx.x] = s[t];
}
__global__ void differences(const int* in, int* out, int n) {  // in global memory, from both ends
  int i = blockIdx.x * blockDim.x + threadIdx.x, d = 0;
  if (i > 0 && i < n) d += in[i] - in[i - 1];
  if (i + 1 < n) d += 3 * (in[i] - in[i + 1]);
  if (i < n) out[i] = d;
}
__constant__ int steps[5] = {1, 10, 100, 1000, 10000};
__global__ void constant_neighbors(int* out) {
  int t = threadIdx.x, r = 0;
  if (t >= 1 && t < 6) r += steps[t - 1];
  if (t < 4) r += steps[t] + 2 * steps[t + 1];
  out[blockIdx.x * blockDim.x + t] = r;
}
__global__ void shift_pairs(int* data) {  // stores below the pointer of lanes that are off
  __shared__ int s[128];
  int t = threadIdx.x, first = blockIdx.x * 128;
  s[2 * t] = data[first + 2 * t];
  s[2 * t + 1] = data[first + 2 * t + 1];
  __syncthreads();
  int a = s[2 * t], b = s[2 * t + 1];
  __syncthreads();
  if (t >= 2) {
    s[2 * t - 4] = b;
    s[2 * t - 3] = a;
  }
  __syncthreads();
  data[first + 2 * t] = s[2 * t];
  data[first + 2 * t + 1] = s[2 * t + 1];
}
}
