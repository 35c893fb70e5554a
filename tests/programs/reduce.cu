// Reductions, scans, histograms and what blocks and warps say to each other.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" {
__global__ void block_sum(const float* x, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void shuffle_sum(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = i < n ? x[i] : 0;
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
__global__ void redux_all(const unsigned* x, unsigned* out) {
  unsigned v = x[threadIdx.x];
  unsigned r = __reduce_add_sync(~0u, v) ^ __reduce_max_sync(~0u, v) ^ __reduce_min_sync(~0u, v) ^ __reduce_or_sync(~0u, v) ^ __reduce_xor_sync(~0u, v);
  out[threadIdx.x] = r;
}
__global__ void block_scan(const int* x, int* out) {
  __shared__ int s[512];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int k = 1; k < 512; k *= 2) { int v = t >= k ? s[t - k] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
  out[t] = s[t];
}
__global__ void warp_scan(const int* x, int* out) {
  int lane = threadIdx.x & 31, v = x[threadIdx.x];
  for (int k = 1; k < 32; k *= 2) { int u = __shfl_up_sync(~0u, v, k); if (lane >= k) v += u; }
  out[threadIdx.x] = v;
}
__global__ void histogram_global(const unsigned char* x, unsigned* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&bins[x[i]], 1u);
}
__global__ void histogram_shared(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[x[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], s[i]);
}
__global__ void histogram_matched(const int* x, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned active = __ballot_sync(~0u, i < n);
  if (i >= n) return;
  unsigned same = __match_any_sync(active, x[i]);
  if ((threadIdx.x & 31) == __ffs(same) - 1) atomicAdd(&bins[x[i]], __popc(same));
}
__device__ float atomic_max(float* at, float v) {
  int old = __float_as_int(*at), seen;
  do { seen = old; if (__int_as_float(seen) >= v) break; old = atomicCAS((int*)at, seen, __float_as_int(v)); } while (old != seen);
  return __int_as_float(old);
}
__global__ void float_maximum(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max(out, x[i]);
}
__global__ void atomics(const int* x, int* out, unsigned long long* wide, float* real, double* precise, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMin(&out[0], x[i]); atomicMax(&out[1], x[i]); atomicAnd(&out[2], x[i] | 0xff00); atomicOr(&out[3], x[i]);
  atomicXor(&out[4], x[i]); atomicInc((unsigned*)&out[5], 6u); atomicDec((unsigned*)&out[6], 9u); atomicSub(&out[7], x[i]);
  atomicAdd(wide, (unsigned long long)x[i] << 20); atomicAdd(real, (float)x[i]); atomicAdd(precise, x[i] * 0.5);
}
__global__ void votes(const int* x, unsigned* out) {
  int t = threadIdx.x, v = x[t];
  unsigned r = __ballot_sync(~0u, v > 50) ^ (__any_sync(~0u, v == 7) ? 1u : 0u) ^ (__all_sync(~0u, v < 1000) ? 2u : 0u);
  int all; unsigned m = __match_all_sync(~0u, v / 1000, &all);
  out[t] = r ^ m ^ (all ? 4u : 0u);
}
__global__ void shuffles(const int* x, int* out) {
  int v = x[threadIdx.x];
  out[threadIdx.x] = __shfl_sync(~0u, v, 5) + 2 * __shfl_xor_sync(~0u, v, 9, 16) + 3 * __shfl_up_sync(~0u, v, 3, 8) + 5 * __shfl_down_sync(~0u, v, 2);
}
__global__ void tiles(const int* x, int* out) {
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  int v = x[threadIdx.x];
  for (int k = tile.size() / 2; k > 0; k /= 2) v += tile.shfl_xor(v, k);
  out[threadIdx.x] = v * 100 + tile.thread_rank();
}
__global__ void coalesced(const int* x, int* out) {
  if (x[threadIdx.x] % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    out[threadIdx.x] = group.size() * 100 + group.thread_rank();
  }
}
__global__ void last_block(const int* x, int* partial, unsigned* done, int* out, int n) {
  __shared__ bool last;
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(~0u, v, k);
  if (threadIdx.x == 0) { partial[blockIdx.x] = v; __threadfence(); last = atomicAdd(done, 1u) == gridDim.x - 1; }
  __syncthreads();
  if (last && threadIdx.x == 0) { int sum = 0; for (int b = 0; b < gridDim.x; ++b) sum += ((volatile int*)partial)[b]; *out = sum; }
}
__global__ void grid_barrier(int* x, unsigned* arrived) {
  int block = blockIdx.x;
  if (threadIdx.x == 0) {
    x[block] = block + 1;
    __threadfence();
    atomicAdd(arrived, 1u);
    while (*(volatile unsigned*)arrived < gridDim.x) {}
    int sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += ((volatile int*)x)[b];
    x[gridDim.x + block] = sum;
  }
}
__global__ void count_if(const int* x, int* out, int n) {
  int i = threadIdx.x;
  int c = __syncthreads_count(i < n && x[i] > 50), a = __syncthreads_and(x[i] < 1000), o = __syncthreads_or(x[i] == -5);
  out[i] = c * 10 + a * 2 + o;
}
}
