#include "warpledger/exec/numeric/tensor_tile.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "warpledger/exec/numeric/tile_vectors.h"

namespace warpledger::numeric {
namespace {

constexpr int kLanes = 16;
constexpr uint32_t kExponent = 0x7f800000;

uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

// Cut to 24 bits: what rounding to nearest made too large is one step too large.
float cut_to_float(int64_t sum) {
  const int64_t magnitude = std::abs(sum);
  const auto nearest = static_cast<float>(magnitude);
  const bool above = static_cast<int64_t>(nearest) > magnitude;
  const float cut = float_of(bits_of(nearest) - (above ? 1 : 0));
  return sum < 0 ? -cut : cut;
}

// 2^exponent of an operand; 0 of 0.
float power_of(float x, float least) {
  return x == 0 ? 0 : std::max(float_of(bits_of(x) & kExponent), least);
}

// One block of products of one row group and parity.
void sum_block(TensorTile& tile, int group, int parity, int first, const TensorCore& core) {
  float(&c)[kLanes] = tile.c[group][parity];
  for (int lane = 0; lane < kLanes; ++lane) {
    float product[16];
    float most = std::max(power_of(c[lane], tile.least_c_power), kTileLeast);
    for (int i = 0; i < core.block; ++i) {
      const int k = first + i;
      const float a = tile.a[group][k / 4][lane / 4 * 4 + k % 4], b = tile.b[k][parity][lane % 4];
      product[i] = a * b;
      most = std::max(most, power_of(a, tile.least_power) * power_of(b, tile.least_power));
    }
    const uint32_t top = bits_of(most);
    const float scale = float_of((static_cast<uint32_t>(254 + core.fraction_bits) << 23) - top);
    const float back = float_of(top - (static_cast<uint32_t>(core.fraction_bits) << 23));
    auto sum = static_cast<int64_t>(c[lane] * scale);
    for (int i = 0; i < core.block; ++i) sum += static_cast<int64_t>(product[i] * scale);
    c[lane] = cut_to_float(sum) * back;
  }
}

}  // namespace

bool tile_takes(const Magnitudes& m) {
  const auto exponent = [](float x) { return static_cast<int>((bits_of(x) & kExponent) >> 23); };
  // Biased twice, by 127; the product of two significands may carry.
  return exponent(m.least_a) + exponent(m.least_b) >= 2 * 127 - 100 &&
         exponent(m.most_a) + exponent(m.most_b) + 1 < 2 * 127 + 120;
}

void multiply_portable(TensorTile& tile, const TensorCore& core) {
  for (int group = 0; group < 4; ++group) {
    for (int parity = 0; parity < 2; ++parity) {
      for (int k = 0; k < tile.k; k += core.block) sum_block(tile, group, parity, k, core);
    }
  }
}

void multiply(TensorTile& tile, const TensorCore& core) {
  if (has_tile_vectors()) return multiply_vectors(tile, core);
  multiply_portable(tile, core);
}

}  // namespace warpledger::numeric
