// Tiles of half a warp: both halves reduce and vote in one instruction, each for itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "check.h"

namespace cg = cooperative_groups;

constexpr int kTile = 16;

struct Answers {
  int sum, least, either;
  unsigned odd;
  int any, all;
};

__global__ void tiles(const int* in, Answers* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());
  out[i].sum = cg::reduce(tile, value, cg::plus<int>());
  out[i].least = cg::reduce(tile, value, cg::less<int>());
  out[i].either = cg::reduce(tile, value, cg::bit_or<int>());
  out[i].odd = tile.ballot(value & 1);
  out[i].any = tile.any(value > 950);
  out[i].all = tile.all(value > 50);
}

Answers answers_of(const int* values) {
  Answers a = {0, values[0], 0, 0, 0, 1};
  for (int k = 0; k < kTile; ++k) {
    a.sum += values[k];
    a.least = values[k] < a.least ? values[k] : a.least;
    a.either |= values[k];
    a.odd |= static_cast<unsigned>(values[k] & 1) << k;
    a.any |= values[k] > 950;
    a.all &= values[k] > 50;
  }
  return a;
}

int main() {
  const int n = 4096;
  std::vector<int> in(n);
  for (int i = 0; i < n; ++i) in[i] = static_cast<int>(any_float(i) * 1000);
  const int* device = to_device(in);
  Answers* out = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(Answers)));
  tiles<<<n / 256, 256>>>(device, out);
  CHECK(cudaDeviceSynchronize());
  const std::vector<Answers> got = to_host(out, n);
  bool good = true;
  for (int i = 0; i < n; ++i) {
    const Answers want = answers_of(&in[i / kTile * kTile]), &is = got[i];
    good &= is.sum == want.sum && is.least == want.least && is.either == want.either;
    good &= is.odd == want.odd && (is.any != 0) == want.any && (is.all != 0) == want.all;
  }
  return verdict(good);
}
