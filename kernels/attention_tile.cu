// Attention for 16 query rows a warp, the softmax in registers: O = softmax(scale Q K^T) V for one
// head, Q, K, V of [rows][64] halves, row-major. A warp keeps its Q and all 64 output columns, so
// that Q K^T is computed once; P goes from accumulator to operand without moving (from sm_75 the
// accumulator of a half product is the A operand: `warpledger layout convert wmma.m16n16k16.C.f32
// wmma.m16n16k16.A.f16`). K is read as a column-major B, which is K^T of the row-major tile.
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "online_softmax.cuh"

using namespace nvcuda;

constexpr int kTile = 16;
constexpr int kHead = 64;
constexpr int kSlices = kHead / kTile;

using OperandA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using Accumulator = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// P as the A operand. Elements 8.. of a half fragment repeat 0..7 and are read by nobody from sm_75
// on.
__device__ __forceinline__ OperandA as_operand(const Accumulator& p) {
#if __CUDA_ARCH__ < 750
#error "the accumulator of sm_70 is no A operand: ask `warpledger layout convert` for a route"
#endif
  OperandA a;
  for (int i = 0; i < a.num_elements; ++i) a.x[i] = __float2half(p.x[i % 8]);
  return a;
}

__device__ __forceinline__ Accumulator scores_of(const OperandA (&q)[kSlices], const half* keys,
                                                 float scale) {
  Accumulator s;
  wmma::fill_fragment(s, 0.0f);
  for (int d = 0; d < kSlices; ++d) {
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> k;
    wmma::load_matrix_sync(k, keys + d * kTile, kHead);
    wmma::mma_sync(s, q[d], k, s);
  }
  for (int i = 0; i < 8; ++i) s.x[i] *= scale;
  return s;
}

// grid: query rows / (16 * warps of a block); `keys` must be a multiple of 16.
extern "C" __global__ void attention_tile(const half* q, const half* k, const half* v, float* out,
                                          int keys, float scale) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int first_row = warp * kTile;
  OperandA queries[kSlices];
  Accumulator output[kSlices];
  for (int d = 0; d < kSlices; ++d) {
    wmma::load_matrix_sync(queries[d], q + first_row * kHead + d * kTile, kHead);
    wmma::fill_fragment(output[d], 0.0f);
  }
  RowState state;
  start_rows(state);
  for (int key = 0; key < keys; key += kTile) {
    Accumulator s = scores_of(queries, k + key * kHead, scale);
    float rescale[2];
    online_softmax_step(s.x, state, rescale);
    const OperandA p = as_operand(s);
    for (int d = 0; d < kSlices; ++d) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> values;
      wmma::load_matrix_sync(values, v + key * kHead + d * kTile, kHead);
      rescale_rows(output[d].x, rescale);
      wmma::mma_sync(output[d], p, values, output[d]);
    }
  }
  const float divide[2] = {1.0f / state.sum[0], 1.0f / state.sum[1]};
  for (int d = 0; d < kSlices; ++d) {
    rescale_rows(output[d].x, divide);
    wmma::store_matrix_sync(out + first_row * kHead + d * kTile, output[d], kHead,
                            wmma::mem_row_major);
  }
}

// A check that a missing factor cannot pass: normal inputs, error relative to the size of the
// result.
int main() {
  constexpr int kRows = 128, kKeys = 256;
  const float scale = 1.0f / std::sqrt(float(kHead));
  unsigned seed = 1;
  const auto normal = [&] {
    float sum = 0;
    for (int i = 0; i < 12; ++i)
      sum += float((seed = seed * 1664525u + 1013904223u) >> 8) / float(1 << 24);
    return sum - 6.0f;
  };
  std::vector<half> q(kRows * kHead), k(kKeys * kHead), v(kKeys * kHead);
  for (auto* matrix : {&q, &k, &v}) {
    for (half& x : *matrix) x = __float2half(normal());
  }
  half *dq, *dk, *dv;
  float* dout;
  cudaMalloc(&dq, q.size() * sizeof(half));
  cudaMalloc(&dk, k.size() * sizeof(half));
  cudaMalloc(&dv, v.size() * sizeof(half));
  cudaMalloc(&dout, kRows * kHead * sizeof(float));
  cudaMemcpy(dq, q.data(), q.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(dk, k.data(), k.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(dv, v.data(), v.size() * sizeof(half), cudaMemcpyHostToDevice);
  attention_tile<<<kRows / 64, 128>>>(dq, dk, dv, dout, kKeys, scale);
  std::vector<float> out(kRows * kHead);
  cudaMemcpy(out.data(), dout, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double error = 0, size = 0;
  for (int r = 0; r < kRows; ++r) {
    std::vector<double> p(kKeys);
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < kKeys; ++j) {
      for (int d = 0; d < kHead; ++d)
        p[j] += double(__half2float(q[r * kHead + d])) * __half2float(k[j * kHead + d]);
      most = std::fmax(most, p[j] *= scale);
    }
    for (double& x : p) sum += x = std::exp(x - most);
    for (int d = 0; d < kHead; ++d) {
      double expected = 0;
      for (int j = 0; j < kKeys; ++j) expected += p[j] / sum * __half2float(v[j * kHead + d]);
      error += (out[r * kHead + d] - expected) * (out[r * kHead + d] - expected);
      size += expected * expected;
    }
  }
  const double relative = std::sqrt(error / size);
  std::printf("relative error %.2e\n", relative);
  return relative > 2e-3;
}
