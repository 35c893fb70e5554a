// One step of the online softmax on a 16 x 16 accumulator tile of scores, in registers: no shared
// memory, no barrier. With running maximum m, running sum l and unnormalized output o of each row,
//   m' = max(m, max_j s_j)        p_j = exp(s_j - m')
//   l' = exp(m - m') l + sum_j p_j      o' = exp(m - m') o  (then o' += P V)
// and o / l at the very end. Both the old sum and the old output are rescaled: leaving out either,
// or normalizing each tile by itself, is wrong as soon as a later tile holds a larger score.
#pragma once

#include "wmma_reduce.cuh"

struct RowState {
  float maximum[2];  // of the two rows of this lane
  float sum[2];
};

__device__ __forceinline__ void start_rows(RowState& state) {
  for (int j = 0; j < 2; ++j) {
    state.maximum[j] = -INFINITY;
    state.sum[j] = 0.0f;
  }
}

// scores: the tile's accumulator, replaced by exp(score - new maximum).
// rescale[j]: what the output rows of this lane must be multiplied with before P V is added.
__device__ __forceinline__ void online_softmax_step(float (&scores)[8], RowState& state,
                                                    float (&rescale)[2]) {
  constexpr float kLog2e = 1.4426950408889634f;
  float tile_maximum[2], tile_sum[2];
  row_max(scores, tile_maximum);
  for (int j = 0; j < 2; ++j) {
    const float next = fmaxf(state.maximum[j], tile_maximum[j]);
    // A row of nothing but -inf keeps weight 0 instead of exp(-inf + inf).
    rescale[j] = next == -INFINITY ? 1.0f : exp2f((state.maximum[j] - next) * kLog2e);
    state.maximum[j] = next;
  }
  for (int i = 0; i < 8; ++i) {
    const float maximum = state.maximum[row_of_element(i)];
    scores[i] = maximum == -INFINITY ? 0.0f : exp2f((scores[i] - maximum) * kLog2e);
  }
  row_sum(scores, tile_sum);
  for (int j = 0; j < 2; ++j) state.sum[j] = state.sum[j] * rescale[j] + tile_sum[j];
}

__device__ __forceinline__ void rescale_rows(float (&output)[8], const float (&rescale)[2]) {
  for (int i = 0; i < 8; ++i) output[i] *= rescale[row_of_element(i)];
}
