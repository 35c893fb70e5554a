#include "warpledger/exec/numeric/tensor_tile.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpledger::numeric {
namespace {

constexpr int kLanes = 16;
constexpr uint32_t kExponent = 0x7f800000;

uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

// Cut to 24 bits: what rounding to nearest made too large is one step too large. The last bit is
// set where `odd` and bits were cut.
float cut_to_float(int64_t sum, bool odd) {
  const int64_t magnitude = std::abs(sum);
  const auto nearest = static_cast<float>(magnitude);
  const bool above = static_cast<int64_t>(nearest) > magnitude;
  float cut = float_of(bits_of(nearest) - (above ? 1 : 0));
  if (odd && static_cast<int64_t>(cut) != magnitude) cut = float_of(bits_of(cut) | 1);
  return sum < 0 ? -cut : cut;
}

// 2^exponent of an operand; 0 of 0.
float power_of(float x, float least) {
  return x == 0 ? 0 : std::max(float_of(bits_of(x) & kExponent), least);
}

int code_of(float x) { return static_cast<int>((bits_of(x) & kExponent) >> 23); }

// Of `count` side by side, less `most`; without branches, for the compiler's vectors.
void find_exponents(const float* from, int count, int most, float least_power, int8_t* to) {
  const int least = code_of(least_power);
  for (int i = 0; i < count; ++i) {
    const int exponent = std::max(code_of(from[i]), least) - most;
    const bool zero = bits_of(from[i]) << 1 == 0;
    to[i] = static_cast<int8_t>(zero ? TensorTile::kNoExponent : exponent);
  }
}

// One block of products of one row group and parity.
void sum_block(TensorTile& tile, int group, int parity, int first, const TensorCore& core) {
  float(&c)[kLanes] = tile.c[group][parity];
  for (int lane = 0; lane < kLanes; ++lane) {
    float product[16];
    float most = std::max(power_of(c[lane], tile.least_c_power), kTileLeast);
    for (int i = 0; i < core.block; ++i) {
      const int k = first + i;
      const float a = tile.a[group][k / 4][lane / 4 * 4 + k % 4];
      const float b = tile.b[parity][k % 4][k / 4][lane % 4];
      product[i] = a * b;
      most = std::max(most, power_of(a, tile.least_power) * power_of(b, tile.least_power));
    }
    const uint32_t top = bits_of(most);
    const float scale = float_of((static_cast<uint32_t>(254 + core.fraction_bits) << 23) - top);
    const float back = float_of(top - (static_cast<uint32_t>(core.fraction_bits) << 23));
    auto sum = static_cast<int64_t>(c[lane] * scale);
    for (int i = 0; i < core.block; ++i) sum += static_cast<int64_t>(product[i] * scale);
    c[lane] = cut_to_float(sum, tile.least_c_power > 0) * back;
  }
}

}  // namespace

bool tile_takes(const Magnitudes& m) {
  const int least_a = code_of(m.least_a), least_b = code_of(m.least_b);
  // Biased twice, by 127; the product of two significands may carry.
  const int least = least_a + least_b, most = code_of(m.most_a) + code_of(m.most_b);
  return least_a > 0 && least_b > 0 && least >= 2 * 127 - 100 && most + 1 < 2 * 127 + 120 &&
         most - least < -TensorTile::kNoExponent - 1;
}

void find_exponents_of_a(TensorTile& tile, float most) {
  tile.most_a = std::max(code_of(most), code_of(tile.least_power));
  for (int quad = 0; quad < tile.k / 4; ++quad) {
    for (int group = 0; group < 4; ++group) {
      find_exponents(tile.a[group][quad], kLanes, tile.most_a, tile.least_power,
                     tile.a_exponent[quad][4 * group]);
    }
  }
}

void find_exponents_of_b(TensorTile& tile, float most) {
  tile.most_b = std::max(code_of(most), code_of(tile.least_power));
  for (int parity = 0; parity < 2; ++parity) {
    for (int k = 0; k < tile.k; ++k) {
      find_exponents(tile.b[parity][k % 4][k / 4], 4, tile.most_b, tile.least_power,
                     tile.b_exponent[parity][k]);
    }
  }
}

void multiply_portable(TensorTile& tile, const TensorCore& core) {
  for (int group = 0; group < 4; ++group) {
    for (int parity = 0; parity < 2; ++parity) {
      for (int k = 0; k < tile.k; k += core.block) sum_block(tile, group, parity, k, core);
    }
  }
}

}  // namespace warpledger::numeric
