#include "warpledger/exec/semantics/tile_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warpledger::exec {
namespace {

using numeric::TensorTile;

// Subnormals too: the shifted bits are an f32 that is 2^112 times too small. Pre: finite.
float from_half(uint32_t bits) {
  const float magnitude = std::bit_cast<float>((bits & 0x7fff) << 13) * 0x1p112f;
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

// To nearest even. Pre: not NaN.
uint32_t to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;  // 65520 and more
  if (magnitude < 0x38800000) {                       // below 2^-14: the sum with 0.5 rounds
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return sign | (std::bit_cast<uint32_t>(sum) - std::bit_cast<uint32_t>(0.5f));
  }
  const uint32_t odd = magnitude >> 13 & 1;
  return sign | (magnitude - ((127u - 15u) << 23) + 0xfff + odd) >> 13;
}

template <class Place>
auto elements_of(const OperandMap& map, Place place) {
  struct Found {
    int word, shift, place;
  };
  std::vector<Found> found;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int i = 0; i < map.elements; ++i) {
      const int per = map.per_register();
      const auto at = static_cast<int>(map.place[static_cast<size_t>(lane * map.elements + i)]);
      found.push_back({i / per * kWarpSize + lane, i % per * map.element_bits,
                       place(at / map.cols, at % map.cols)});
    }
  }
  return found;
}

bool is_finite(float value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

}  // namespace

std::optional<TileProduct> TileProduct::of(const MatrixProduct& plan) {
  const numeric::Format format = plan.a.type.format;
  const bool known =
      plan.a.type.is_float &&
      (format == numeric::kF16 || format == numeric::kBf16 || format == numeric::kTf32) &&
      plan.b.type.format == format;
  const int block = plan.core.block;
  const bool fits = plan.m == 16 && plan.n == 8 && plan.a.products == 1 &&
                    plan.k <= TensorTile::kMostK && (block == 4 || block == 8 || block == 16) &&
                    plan.k % block == 0 && plan.core.fraction_bits <= 25;
  const bool results = plan.c.element_bits == plan.d.element_bits && plan.c.type.is_float &&
                       plan.c.place == plan.d.place &&
                       (plan.c.element_bits == 32 || plan.k == block);  // f16 is rounded per block
  if (!known || !fits || !results) return {};
  TileProduct tile;
  tile.k_ = plan.k;
  tile.input_ = format == numeric::kF16    ? Input::kF16
                : format == numeric::kBf16 ? Input::kBf16
                                           : Input::kTf32;
  tile.half_result_ = plan.c.element_bits == 16;
  tile.core_ = plan.core;
  const auto take = [](auto found, Elements& to) {
    for (const auto& e : found) {
      to.push_back({static_cast<uint16_t>(e.word), static_cast<uint16_t>(e.shift),
                    static_cast<uint16_t>(e.place)});
    }
  };
  constexpr int kQuads = TensorTile::kMostK / 4;
  take(elements_of(
           plan.a,
           [](int row, int k) { return (row / 4 * kQuads + k / 4) * 16 + row % 4 * 4 + k % 4; }),
       tile.a_);
  take(elements_of(
           plan.b,
           [](int k, int col) { return ((col % 2 * 4 + k % 4) * kQuads + k / 4) * 4 + col / 2; }),
       tile.b_);
  take(elements_of(
           plan.c,
           [](int row, int col) { return (row / 4 * 2 + col % 2) * 16 + row % 4 * 4 + col / 2; }),
       tile.c_);
  return tile;
}

bool TileProduct::unpack(TensorTile& tile, const uint32_t* a, const uint32_t* b) const {
  if (input_ == Input::kF16 && k_ >= 8 && numeric::unpack_halves(tile, a, b)) return true;
  float least[2] = {0x1p126f, 0x1p126f}, most[2] = {0x1p-126f, 0x1p-126f};
  bool finite = true;
  const auto value = [&](const Element& e, const uint32_t* registers) {
    const uint32_t bits = registers[e.word] >> e.shift;
    if (input_ == Input::kTf32) return std::bit_cast<float>(bits & 0xffffe000);
    if (input_ == Input::kBf16) return std::bit_cast<float>(bits << 16);
    finite &= (bits & 0x7c00) != 0x7c00;
    return from_half(bits);
  };
  const auto fill = [&](const Elements& elements, const uint32_t* registers, float* to, int side) {
    for (const Element& e : elements) {
      const float x = to[e.place] = value(e, registers);
      finite &= is_finite(x);
      if (x == 0) continue;
      least[side] = std::min(least[side], std::abs(x));
      most[side] = std::max(most[side], std::abs(x));
    }
  };
  fill(a_, a, &tile.a[0][0][0], 0);
  fill(b_, b, &tile.b[0][0][0][0], 1);
  const bool fits = finite && numeric::tile_takes({least[0], most[0], least[1], most[1]});
  if (!fits) return false;
  numeric::find_exponents_of_a(tile, most[0]);
  numeric::find_exponents_of_b(tile, most[1]);
  return true;
}

bool TileProduct::unpack_c(TensorTile& tile, const uint32_t* c) const {
  bool takes = true;
  for (const Element& e : c_) {
    const uint32_t bits = c[e.word] >> e.shift;
    if (half_result_ && (bits & 0x7c00) == 0x7c00) return false;
    const float x = half_result_ ? from_half(bits) : std::bit_cast<float>(bits);
    (&tile.c[0][0][0])[e.place] = x;
    takes &= numeric::tile_takes(x);
  }
  return takes;
}

void TileProduct::pack(const TensorTile& tile, uint32_t* d) const {
  for (const Element& e : c_) {
    const float x = (&tile.c[0][0][0])[e.place];
    if (!half_result_) {
      d[e.word] = std::bit_cast<uint32_t>(x);
    } else if (e.shift == 0) {
      d[e.word] = to_half(x);
    } else {
      d[e.word] |= to_half(x) << e.shift;
    }
  }
}

bool TileProduct::multiply_fragments(const numeric::Fragments& fragments) const {
  if (half_result_) return false;
  if (input_ == Input::kTf32) return numeric::multiply_singles(fragments, k_, core_);
  return k_ >= 8 && numeric::multiply_halves(fragments, k_, input_ == Input::kBf16, core_);
}

bool TileProduct::operator()(const uint32_t* a, const uint32_t* b, const uint32_t* c,
                             uint32_t* d) const {
  if (multiply_fragments({a, b, c, d})) return true;
  TensorTile tile;
  tile.k = k_;
  tile.least_power = input_ == Input::kF16 ? 0x1p-14f : 0;
  tile.least_c_power = half_result_ ? 0x1p-14f : 0;
  if (!unpack_c(tile, c) || !unpack(tile, a, b)) return false;
  numeric::multiply(tile, core_);
  pack(tile, d);
  return true;
}

}  // namespace warpledger::exec
