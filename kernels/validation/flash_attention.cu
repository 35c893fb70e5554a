// Attention with an online softmax in fp32: a thread owns a query row of 64, a block of 32 threads 32 of them; keys and
// values pass through shared memory 32 rows at a time, and the scores of a row through local memory.

namespace {
constexpr int kRows = 32, kWidth = 64;
}

extern "C" __global__ void attention_forward(const float* q, const float* k, const float* v, float* out, float* lse,
                                             int length, float scale) {
  __shared__ float keys[kRows][kWidth], values[kRows][kWidth];
  const int t = threadIdx.x, row = blockIdx.x * kRows + t, head = blockIdx.y * length * kWidth;
  float query[kWidth], sum[kWidth] = {};
  for (int d = 0; d < kWidth; ++d) query[d] = q[head + row * kWidth + d];
  float largest = -INFINITY, total = 0;
  for (int first = 0; first < length; first += kRows) {
    for (int i = t; i < kRows * kWidth; i += kRows) {
      keys[i / kWidth][i % kWidth] = k[head + first * kWidth + i];
      values[i / kWidth][i % kWidth] = v[head + first * kWidth + i];
    }
    __syncthreads();
    float score[kRows], best = largest;
#pragma unroll 1
    for (int c = 0; c < kRows; ++c) {
      float dot = 0;
      for (int d = 0; d < kWidth; ++d) dot += query[d] * keys[c][d];
      score[c] = dot * scale;
      best = fmaxf(best, score[c]);
    }
    const float rescale = expf(largest - best);
    total *= rescale;
    for (int d = 0; d < kWidth; ++d) sum[d] *= rescale;
#pragma unroll 1
    for (int c = 0; c < kRows; ++c) {
      const float p = expf(score[c] - best);
      total += p;
      for (int d = 0; d < kWidth; ++d) sum[d] += p * values[c][d];
    }
    largest = best;
    __syncthreads();
  }
  for (int d = 0; d < kWidth; ++d) out[head + row * kWidth + d] = sum[d] / total;
  lse[blockIdx.y * length + row] = largest + logf(total);
}
