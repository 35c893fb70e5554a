// Attention of one head (d = 32) with an online softmax, out of float tensors: 4 warps of 16 query rows each, keys and values in blocks
// of 32, products by wmma, everything in shared memory with rows of 48.
#include <cuda_fp16.h>
#include <mma.h>

namespace {

using namespace nvcuda::wmma;
constexpr int kRows = 64, kOfWarp = 16, kKeys = 32, kDim = 32, kStride = 48;

struct Shared {
  float output[kRows * kStride], scores[kRows * kStride];
  half q[kRows * kStride], k[kDim * kStride], weights[kRows * kStride], v[kKeys * kStride];
  float largest[kRows], before[kRows], sum[kRows];
};

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

// The same for each of the warp's rows: independent, so that their waits overlap.
template <typename Each>
__device__ __forceinline__ void rows_of_warp(Each each) {
#pragma unroll
  for (int i = 0; i < kOfWarp; ++i) each(i);
}

// A block of keys or values as halves: lane is the column, two warps have 16 rows each.
__device__ __forceinline__ void load_block(half* to, const float* from, int at, int n, int row_step, int column_step) {
  const int lane = threadIdx.x % 32;
  for (int first = threadIdx.x / 32 * kOfWarp; first < kKeys; first += kRows) {
    rows_of_warp([&](int i) {
      const int row = first + i;
      to[row * row_step + lane * column_step] = __float2half(at + row < n ? from[(at + row) * kDim + lane] : 0.0f);
    });
  }
}

__device__ __forceinline__ void softmax(Shared& s, int first, float scale) {
  const int lane = threadIdx.x % 32;
  float largest[kOfWarp], sum[kOfWarp], rescale[kOfWarp];
  rows_of_warp([&](int i) { largest[i] = s.before[first + i], sum[i] = 0; });
  rows_of_warp([&](int i) {
    float& score = s.scores[(first + i) * kStride + lane];
    const float scaled = score * scale;
    largest[i] = fmaxf(largest[i], scaled);
    score = scaled;
  });
  rows_of_warp([&](int i) {
    for (int mask = 16; mask > 0; mask /= 2) largest[i] = fmaxf(largest[i], __shfl_xor_sync(0xffffffff, largest[i], mask));
  });
  rows_of_warp([&](int i) {
    const int at = (first + i) * kStride + lane;
    const float weight = expf(s.scores[at] - largest[i]);
    s.scores[at] = weight;
    sum[i] += weight;
    s.weights[at] = __float2half(weight);
  });
  rows_of_warp([&](int i) {
    for (int mask = 16; mask > 0; mask /= 2) sum[i] += __shfl_xor_sync(0xffffffff, sum[i], mask);
  });
  rows_of_warp([&](int i) {
    rescale[i] = expf(s.before[first + i] - largest[i]);
    if (lane == 0) {
      s.largest[first + i] = largest[i];
      s.sum[first + i] = rescale[i] * s.sum[first + i] + sum[i];
    }
  });
  __syncthreads();
  rows_of_warp([&](int i) { s.output[(first + i) * kStride + lane] *= rescale[i]; });
}

}  // namespace

extern "C" __global__ void flash_wmma(const float* q, const float* k, const float* v, float* out, int n, float scale) {
  __shared__ __align__(32) Shared s;
  const int lane = threadIdx.x % 32, first = threadIdx.x / 32 * kOfWarp, block = blockIdx.x * kRows + first;
  rows_of_warp([&](int i) {
    s.q[(first + i) * kStride + lane] = __float2half(block + i < n ? q[(block + i) * kDim + lane] : 0.0f);
  });
  rows_of_warp([&](int i) { s.output[(first + i) * kStride + lane] = 0; });
  for (int i = lane; i < kRows; i += 32) s.sum[i] = 0, s.before[i] = 0;
  __syncthreads();
  for (int at = 0; at < n; at += kKeys) {
    if (lane == 0) {
      for (int i = 0; i < kOfWarp; ++i) s.largest[first + i] = -INFINITY;
    }
    __syncthreads();
    load_block(s.k, k, at, n, 1, kStride);
    __syncthreads();
    product(s.scores + first * kStride, s.q + first * kStride, s.k, false);
    __syncthreads();
    load_block(s.v, v, at, n, kStride, 1);
    __syncthreads();
    softmax(s, first, scale);
    __syncthreads();
    product(s.output + first * kStride, s.weights + first * kStride, s.v, true);
    __syncthreads();
    if (lane == 0) {
      for (int i = 0; i < kOfWarp; ++i) s.before[first + i] = s.largest[first + i];
    }
    __syncthreads();
  }
  rows_of_warp([&](int i) {
    float& value = s.output[(first + i) * kStride + lane];
    const float sum = s.sum[first + i];
    value = sum > 1e-10f ? value / sum : 0;
  });
  __syncthreads();
  rows_of_warp([&](int i) {
    if (block + i < n) out[(block + i) * kDim + lane] = s.output[(first + i) * kStride + lane];
  });
}
