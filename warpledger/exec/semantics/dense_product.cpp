#include "warpledger/exec/semantics/dense_product.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "warpledger/exec/numeric/convert.h"
#include "warpledger/exec/numeric/integer.h"
#include "warpledger/exec/numeric/tensor_tile.h"

namespace warpledger::exec {
namespace {

using numeric::Factor;
using numeric::TensorTile;

constexpr uint32_t kTileRows = 16, kTileColumns = 8;

uint32_t significant_bits(const TypeInfo& type, uint32_t bits) {
  return type.format == numeric::kTf32 ? bits >> 13 : bits;
}

/// An operand as the tile wants it: floats, and the bounds of their magnitudes.
struct Floats {
  std::vector<float> values;
  float least = 0x1p126f, most = 0x1p-126f;
  bool finite = true;
};

/// Of a finite f16: numeric::convert(), without its price. Subnormals too: the shifted bits are an
/// f32 that is 2^112 times too small.
float widened_half(uint32_t bits) {
  const float magnitude = std::bit_cast<float>((bits & 0x7fff) << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(magnitude) | (bits & 0x8000) << 16);
}

float widened(const TypeInfo& type, uint32_t bits) {
  if (type.format == numeric::kBf16) return std::bit_cast<float>(bits << 16);
  if (type.format == numeric::kF16 && (bits & 0x7c00) != 0x7c00) return widened_half(bits);
  return std::bit_cast<float>(static_cast<uint32_t>(
      numeric::convert(numeric::kF32, type.format, significant_bits(type, bits))));
}

Floats floats_of(const DenseOperand& operand) {
  Floats floats;
  floats.values.reserve(operand.elements.size());
  for (const uint32_t bits : operand.elements) {
    float x = widened(operand.type, bits);
    floats.finite &= std::abs(x) <= std::numeric_limits<float>::max();
    if (operand.negated) x = -x;
    floats.values.push_back(x);
    floats.least = std::min(floats.least, x == 0 ? floats.least : std::abs(x));
    floats.most = std::max(floats.most, std::abs(x));
  }
  return floats;
}

std::vector<Factor> factors_of(const DenseOperand& operand) {
  std::vector<Factor> factors;
  factors.reserve(operand.elements.size());
  for (const uint32_t bits : operand.elements) {
    factors.push_back(
        numeric::unpack_factor(operand.type.format, significant_bits(operand.type, bits)));
    if (operand.negated) factors.back().negative = !factors.back().negative;
  }
  return factors;
}

// A scale is 2^e times at most 4 significant bits, an element that is scaled has at most 4: their
// product fits a factor.
void scale_factor(Factor& factor, double scale) {
  if (std::isnan(scale)) factor.kind = numeric::Number::kNan;
  if (factor.kind != numeric::Number::kFinite) return;
  if (scale == 0) {
    factor = {.negative = factor.negative};
    return;
  }
  int exponent = 0;
  const double fraction = std::frexp(scale, &exponent);  // in [0.5, 1)
  factor.significand = (factor.significand >> 4) * static_cast<uint32_t>(fraction * 16);
  factor.exponent += exponent;
  if (factor.significand >> 31 != 0) return;
  factor.significand <<= 1;
  --factor.exponent;
}

void apply_scales(std::vector<Factor>& factors, const DenseOperand& operand, uint32_t k) {
  if (operand.scale.empty()) return;
  const uint32_t per_row = k / operand.scale_every;
  for (size_t i = 0; i < factors.size(); ++i)
    scale_factor(factors[i], operand.scale[i / k * per_row + i % k / operand.scale_every]);
}

/// The product by tiles of 16 x 8 results.
class TileWork {
 public:
  TileWork(const DenseProduct& plan, const DenseOperand& a, const Floats& fa, const Floats& fb,
           uint32_t n)
      : plan_(plan), fa_(fa), n_(n), columns_(n / kTileColumns) {
    tile_.k = static_cast<int>(plan.k);
    tile_.least_power = a.type.format == numeric::kF16 ? 0x1p-14f : 0;
    tile_.least_c_power = plan.half_result ? 0x1p-14f : 0;
    const float* from = fb.values.data();
    for (Columns& columns : columns_) {
      for (uint32_t c = 0; c < kTileColumns; ++c, from += plan.k) {
        for (uint32_t k = 0; k < plan.k; ++k) tile_.b[c % 2][k % 4][k / 4][c / 2] = from[k];
      }
      numeric::find_exponents_of_b(tile_, fb.most);
      std::memcpy(columns.b, tile_.b, sizeof columns.b);
      std::memcpy(columns.exponent, tile_.b_exponent, sizeof columns.exponent);
    }
  }

  /// The rows of A that the next tiles take.
  void take_rows(uint32_t row) {
    for (uint32_t r = 0; r < kTileRows; ++r) {
      for (uint32_t k = 0; k < plan_.k; ++k)
        tile_.a[r / 4][k / 4][r % 4 * 4 + k % 4] = fa_.values[(row + r) * plan_.k + k];
    }
    numeric::find_exponents_of_a(tile_, fa_.most);
  }

  /// False, and d as it was, where the tile does not take its C. Pre: take_rows(row).
  bool operator()(uint32_t row, uint32_t column, std::span<uint32_t> d) {
    if (!load_c(row, column, d)) return false;
    const Columns& columns = columns_[column / kTileColumns];
    std::memcpy(tile_.b, columns.b, sizeof tile_.b);
    std::memcpy(tile_.b_exponent, columns.exponent, sizeof tile_.b_exponent);
    numeric::multiply(tile_, plan_.core);
    store_c(row, column, d);
    return true;
  }

 private:
  /// f(four results side by side of a row in d, every second one, where the tile has them).
  template <class F>
  void each(uint32_t row, uint32_t column, std::span<uint32_t> d, F f) {
    for (uint32_t r = 0; r < kTileRows; ++r) {
      uint32_t* results = &d[(row + r) * n_ + column];
      for (uint32_t parity = 0; parity < 2; ++parity)
        f(results + parity, tile_.c[r / 4][parity] + r % 4 * 4);
    }
  }
  bool load_c(uint32_t row, uint32_t column, std::span<uint32_t> d) {
    bool takes = true;
    each(row, column, d, [&](const uint32_t* from, float* to) {
      for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t bits = from[2 * i];
        if (plan_.half_result) takes &= (bits & 0x7c00) != 0x7c00;
        to[i] = plan_.half_result ? widened_half(bits) : std::bit_cast<float>(bits);
        takes &= numeric::tile_takes(to[i]);
      }
    });
    return takes;
  }
  void store_c(uint32_t row, uint32_t column, std::span<uint32_t> d) {
    each(row, column, d, [&](uint32_t* to, const float* from) {
      for (uint32_t i = 0; i < 4; ++i) {
        const auto bits = std::bit_cast<uint32_t>(from[i]);
        to[2 * i] =
            plan_.half_result
                ? static_cast<uint32_t>(numeric::convert(numeric::kF16, numeric::kF32, bits))
                : bits;
      }
    });
  }

  struct Columns {  // of B, as tiles have them
    float b[2][4][TensorTile::kMostK / 4][4] = {};
    int8_t exponent[2][TensorTile::kMostK][4] = {};
  };
  const DenseProduct& plan_;
  const Floats& fa_;
  uint32_t n_;
  std::vector<Columns> columns_;
  TensorTile tile_;
};

bool tiles_take(const DenseProduct& plan, const DenseOperand& a, const DenseOperand& b) {
  const bool known = a.type.format == b.type.format &&
                     (a.type.format == numeric::kF16 || a.type.format == numeric::kBf16 ||
                      a.type.format == numeric::kTf32);
  const auto block = static_cast<uint32_t>(plan.core.block);
  return known && a.scale.empty() && b.scale.empty() && plan.k <= TensorTile::kMostK &&
         plan.k % block == 0 && (!plan.half_result || plan.k == block) && a.rows % kTileRows == 0 &&
         b.rows % kTileColumns == 0;
}

void multiply_integers(const DenseProduct& plan, const DenseOperand& a, const DenseOperand& b,
                       std::span<uint32_t> d) {
  using Limits = std::numeric_limits<int32_t>;
  for (uint32_t row = 0; row < a.rows; ++row) {
    for (uint32_t column = 0; column < b.rows; ++column) {
      auto sum = static_cast<int64_t>(static_cast<int32_t>(d[row * b.rows + column]));
      for (uint32_t k = 0; k < plan.k; ++k) {
        const uint64_t x = a.elements[row * plan.k + k], y = b.elements[column * plan.k + k];
        if (a.type.bits == 1) {
          sum += static_cast<int64_t>(x & y);
        } else {
          sum += static_cast<int64_t>(numeric::extend(a.type.integer(), x)) *
                 static_cast<int64_t>(numeric::extend(b.type.integer(), y));
        }
      }
      if (plan.satfinite) sum = std::clamp<int64_t>(sum, Limits::min(), Limits::max());
      d[row * b.rows + column] = static_cast<uint32_t>(sum);
    }
  }
}

}  // namespace

void DenseProduct::operator()(const DenseOperand& a, const DenseOperand& b,
                              std::span<uint32_t> d) const {
  if (!a.type.is_float) return multiply_integers(*this, a, b, d);
  const bool tiles = tiles_take(*this, a, b);
  Floats fa, fb;
  if (tiles) fa = floats_of(a), fb = floats_of(b);
  const bool fits = tiles && fa.finite && fb.finite &&
                    numeric::tile_takes({fa.least, fa.most, fb.least, fb.most});
  std::vector<Factor> left, right;
  const auto dot = [&](uint32_t row, uint32_t column) {
    if (left.empty()) {
      left = factors_of(a), right = factors_of(b);
      apply_scales(left, a, k), apply_scales(right, b, k);
    }
    const std::span<const Factor> x(left.data() + row * k, k), y(right.data() + column * k, k);
    uint32_t& to = d[row * b.rows + column];
    to = half_result ? numeric::dot_f16(core, x, y, static_cast<uint16_t>(to))
                     : numeric::dot_f32(core, x, y, to);
  };
  std::optional<TileWork> work;
  if (fits) work.emplace(*this, a, fa, fb, b.rows);
  const uint32_t rows = tiles ? kTileRows : 1, columns = tiles ? kTileColumns : 1;
  for (uint32_t row = 0; row < a.rows; row += rows) {
    if (work) work->take_rows(row);
    for (uint32_t column = 0; column < b.rows; column += columns) {
      if (work && (*work)(row, column, d)) continue;
      for (uint32_t r = 0; r < rows; ++r) {
        for (uint32_t c = 0; c < columns; ++c) dot(row + r, column + c);
      }
    }
  }
}

}  // namespace warpledger::exec
