// kernels/online_softmax.cuh on 32 host threads that act as the lanes of a warp.
#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

namespace {

struct HostWarp {
  std::array<float, 32> slots = {};
  std::barrier<> turn{32};
};
HostWarp* warp = nullptr;
thread_local int this_lane = 0;

float shuffle_xor(unsigned, float value, int mask) {
  warp->slots[static_cast<size_t>(this_lane)] = value;
  warp->turn.arrive_and_wait();
  const float arrived = warp->slots[static_cast<size_t>(this_lane ^ mask)];
  warp->turn.arrive_and_wait();
  return arrived;
}

}  // namespace

#define __device__
#define __forceinline__ inline
#define __shfl_xor_sync shuffle_xor
#include "kernels/online_softmax.cuh"

namespace {

constexpr int kTiles = 6, kSide = 16;

float score(const std::vector<float>& scores, int tile, int row, int col) {
  return scores[static_cast<size_t>((tile * kSide + row) * kSide + col)];
}

std::vector<float> any_scores() {
  std::mt19937 engine(7);
  std::vector<float> scores(kTiles * kSide * kSide);
  for (size_t i = 0; i < scores.size(); ++i) {
    scores[i] =
        static_cast<float>(engine() % 2000) / 250.0F - 4.0F + static_cast<float>(i / 256 % 3);
  }
  for (size_t c = 0; c < kSide; ++c) scores[c] = -INFINITY;  // row 0 of tile 0 is masked
  return scores;
}

/// Of a row. One output column whose value matrix is V[j] = the tile's number: enough to see a
/// wrong rescaling.
struct Softmax {
  double sum = 0, output = 0;
};

/// As one lane computes its two rows, tile by tile.
std::array<Softmax, 2> online(const std::vector<float>& scores, int lane) {
  this_lane = lane;
  RowState state;
  start_rows(state);
  float output[2] = {0, 0};
  for (int tile = 0; tile < kTiles; ++tile) {
    float x[8], rescale[2], weighted[8], tile_output[2];
    for (int i = 0; i < 8; ++i) {
      x[i] =
          score(scores, tile, lane / 4 + 8 * (i >> 1 & 1), 2 * (lane % 4) + i % 2 + 8 * (i >> 2));
    }
    online_softmax_step(x, state, rescale);
    for (int i = 0; i < 8; ++i) weighted[i] = x[i] * static_cast<float>(tile + 1);
    row_sum(weighted, tile_output);
    for (int j = 0; j < 2; ++j) output[j] = output[j] * rescale[j] + tile_output[j];
  }
  return {{{state.sum[0], output[0] / state.sum[0]}, {state.sum[1], output[1] / state.sum[1]}}};
}

/// Over all tiles at once.
Softmax whole(const std::vector<float>& scores, int row) {
  double most = -INFINITY, weighted = 0;
  for (int t = 0; t < kTiles; ++t) {
    for (int c = 0; c < kSide; ++c) most = std::fmax(most, score(scores, t, row, c));
  }
  Softmax made;
  for (int t = 0; t < kTiles; ++t) {
    for (int c = 0; c < kSide; ++c) {
      const double p = std::exp(score(scores, t, row, c) - most);
      made.sum += p;
      weighted += p * (t + 1);
    }
  }
  made.output = weighted / made.sum;
  return made;
}

TEST(OnlineSoftmax, EqualsTheSoftmaxOverAllTiles) {
  const std::vector<float> scores = any_scores();
  std::array<std::array<Softmax, 2>, 32> found{};
  HostWarp lanes;
  warp = &lanes;
  std::vector<std::thread> threads;
  for (int lane = 0; lane < 32; ++lane) {
    threads.emplace_back([&, lane] { found[static_cast<size_t>(lane)] = online(scores, lane); });
  }
  for (std::thread& thread : threads) thread.join();
  for (int lane = 0; lane < 32; ++lane) {
    for (int j = 0; j < 2; ++j) {
      const Softmax expected = whole(scores, reduced_row(lane, j));
      const Softmax& row = found[static_cast<size_t>(lane)][static_cast<size_t>(j)];
      EXPECT_NEAR(row.sum, expected.sum, 1e-4 * expected.sum);
      EXPECT_NEAR(row.output, expected.output, 1e-4);
    }
  }
}

}  // namespace
