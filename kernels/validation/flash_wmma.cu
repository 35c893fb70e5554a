// Attention of one head (d = 32) with an online softmax, out of float tensors: 4 warps of 16 query rows each, keys and values in blocks
// of 32, products by wmma, everything in shared memory with rows of 48.
#include <cuda_fp16.h>
#include <mma.h>

namespace {

using namespace nvcuda::wmma;
constexpr int kRows = 64, kKeys = 32, kDim = 32, kStride = 48;

struct Shared {
  float output[kRows * kStride], scores[kRows * kStride];
  half q[kRows * kStride], k[kDim * kStride], weights[kRows * kStride], v[kKeys * kStride];
  float largest[kRows], before[kRows], sum[kRows];
};

__device__ __forceinline__ float over_warp(float value, bool maximum) {
  for (int mask = 16; mask > 0; mask /= 2) {
    const float other = __shfl_xor_sync(0xffffffff, value, mask);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  return value;
}

// out (16 x 32) = a (16 x 32) b (32 x 32), or out plus that.
__device__ __forceinline__ void product(float* out, const half* a, const half* b, bool add) {
  for (int column = 0; column < 32; column += 16) {
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    for (int inner = 0; inner < 32; inner += 16) {
      fragment<matrix_a, 16, 16, 16, half, row_major> part_a;
      fragment<matrix_b, 16, 16, 16, half, row_major> part_b;
      load_matrix_sync(part_a, a + inner, kStride);
      load_matrix_sync(part_b, b + inner * kStride + column, kStride);
      mma_sync(sum, part_a, part_b, sum);
    }
    if (add) {
      fragment<accumulator, 16, 16, 16, float> old;
      load_matrix_sync(old, out + column, kStride, mem_row_major);
      for (int i = 0; i < sum.num_elements; ++i) sum.x[i] += old.x[i];
    }
    store_matrix_sync(out + column, sum, kStride, mem_row_major);
  }
}

__device__ __forceinline__ void softmax_row(Shared& s, int row, int lane, float scale) {
  const float score = s.scores[row * kStride + lane] * scale;
  const float largest = fmaxf(s.before[row], over_warp(score, true));
  const float weight = expf(score - largest);
  const float sum = over_warp(weight, false);
  s.scores[row * kStride + lane] = weight;
  s.weights[row * kStride + lane] = __float2half(weight);
  if (lane == 0) {
    s.sum[row] = s.sum[row] * expf(s.before[row] - largest) + sum;
    s.largest[row] = largest;
  }
}

}  // namespace

extern "C" __global__ void flash_wmma(const float* q, const float* k, const float* v, float* out, int n, float scale) {
  __shared__ __align__(32) Shared s;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = warp * 16, row = blockIdx.x * kRows;
  for (int i = first; i < first + 16; ++i) {
    s.q[i * kStride + lane] = __float2half(q[(row + i) * kDim + lane]);
    s.output[i * kStride + lane] = 0;
    if (lane == 0) {
      s.before[i] = -INFINITY;
      s.sum[i] = 0;
    }
  }
  for (int at = 0; at < n; at += kKeys) {
    if (warp < 2) {
      for (int i = first; i < first + 16; ++i) s.k[lane * kStride + i] = __float2half(k[(at + i) * kDim + lane]);
    }
    __syncthreads();
    product(s.scores + first * kStride, s.q + first * kStride, s.k, false);
    __syncthreads();
    if (warp < 2) {
      for (int i = first; i < first + 16; ++i) s.v[i * kStride + lane] = __float2half(v[(at + i) * kDim + lane]);
    }
    __syncthreads();
    for (int i = first; i < first + 16; ++i) softmax_row(s, i, lane, scale);
    __syncthreads();
    for (int i = first; i < first + 16; ++i) s.output[i * kStride + lane] *= expf(s.before[i] - s.largest[i]);
    __syncthreads();
    product(s.output + first * kStride, s.weights + first * kStride, s.v, true);
    __syncthreads();
    if (lane == 0) {
      for (int i = first; i < first + 16; ++i) s.before[i] = s.largest[i];
    }
    __syncthreads();
  }
  for (int i = first; i < first + 16; ++i) out[(row + i) * kDim + lane] = s.output[i * kStride + lane] / s.sum[i];
}
