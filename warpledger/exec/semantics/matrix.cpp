#include "warpledger/exec/semantics/matrix.h"

#include <algorithm>
#include <limits>

namespace warpledger::exec {
namespace {

using numeric::Factor;

struct Place {
  int reg, shift;
};

Place place_in_register(const OperandMap& map, int element) {
  const int per = map.per_register();
  return {element / per, element % per * map.element_bits};
}

uint64_t element_mask(const OperandMap& map) {
  return map.element_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << map.element_bits) - 1;
}

// tf32 is in the upper 19 bits of its register.
std::vector<Factor> as_factors(const OperandMap& map, const std::vector<uint64_t>& matrix) {
  const bool tf32 = map.type.format == numeric::kTf32;
  std::vector<Factor> result;
  result.reserve(matrix.size());
  for (const uint64_t bits : matrix)
    result.push_back(numeric::unpack_factor(map.type.format, tf32 ? bits >> 13 : bits));
  return result;
}

/// One product of the (up to four) of an instruction, with B turned so that columns are contiguous.
template <class T>
struct Factors {
  std::vector<T> a, b;  // rows of A; columns of B
};

template <class T>
Factors<T> factors(const MatrixProduct& plan, int product, const std::vector<T>& a,
                   const std::vector<T>& b) {
  Factors<T> result;
  const auto k = static_cast<size_t>(plan.k), n = static_cast<size_t>(plan.n);
  const size_t a_size = static_cast<size_t>(plan.m) * k, b_size = k * n;
  const auto p = static_cast<size_t>(product);
  result.a.assign(a.begin() + static_cast<long>(p * a_size),
                  a.begin() + static_cast<long>((p + 1) * a_size));
  result.b.resize(b_size);
  for (size_t row = 0; row < k; ++row) {
    for (size_t col = 0; col < n; ++col) result.b[col * k + row] = b[p * b_size + row * n + col];
  }
  return result;
}

uint64_t dot_float(const MatrixProduct& plan, std::span<const Factor> a, std::span<const Factor> b,
                   uint64_t c) {
  const bool from_half = plan.c.element_bits == 16, to_half = plan.d.element_bits == 16;
  if (from_half && to_half) return numeric::dot_f16(plan.core, a, b, static_cast<uint16_t>(c));
  const uint64_t wide = from_half ? numeric::convert(numeric::kF32, numeric::kF16, c) : c;
  const uint32_t sum = numeric::dot_f32(plan.core, a, b, static_cast<uint32_t>(wide));
  return to_half ? numeric::convert(numeric::kF16, numeric::kF32, sum) : sum;
}

uint64_t dot_double(const MatrixProduct& plan, std::span<const uint64_t> a,
                    std::span<const uint64_t> b, uint64_t c) {
  for (size_t i = 0; i < a.size(); ++i)
    c = numeric::fma(numeric::kF64, a[i], b[i], c, {.rounding = plan.rounding});
  return c;
}

uint64_t dot_integer(const MatrixProduct& plan, std::span<const uint64_t> a,
                     std::span<const uint64_t> b, uint64_t c) {
  auto sum = static_cast<int64_t>(static_cast<int32_t>(c));
  for (size_t i = 0; i < a.size(); ++i) {
    if (plan.a.element_bits == 1) {
      sum += static_cast<int64_t>(plan.is_and ? a[i] & b[i] : a[i] ^ b[i]);
    } else {
      sum += static_cast<int64_t>(numeric::extend(plan.a.type.integer(), a[i])) *
             static_cast<int64_t>(numeric::extend(plan.b.type.integer(), b[i]));
    }
  }
  using Limits = std::numeric_limits<int32_t>;
  if (plan.satfinite) sum = std::clamp<int64_t>(sum, Limits::min(), Limits::max());
  return static_cast<uint64_t>(sum) & 0xffffffff;
}

// d[row, col] = dot(row of a, column of b, c[row, col]) for every product.
template <class T, class Dot>
std::vector<uint64_t> multiply(const MatrixProduct& plan, const std::vector<T>& a,
                               const std::vector<T>& b, const std::vector<uint64_t>& c, Dot dot) {
  std::vector<uint64_t> d(c.size());
  const auto k = static_cast<size_t>(plan.k);
  size_t at = 0;
  for (int product = 0; product < plan.a.products; ++product) {
    const Factors<T> f = factors(plan, product, a, b);
    for (size_t row = 0; row < static_cast<size_t>(plan.m); ++row) {
      for (size_t col = 0; col < static_cast<size_t>(plan.n); ++col, ++at) {
        const std::span<const T> left(f.a.data() + row * k, k), right(f.b.data() + col * k, k);
        d[at] = dot(plan, left, right, c[at]);
      }
    }
  }
  return d;
}

}  // namespace

std::vector<uint64_t> gather_matrix(const OperandMap& map, const MatrixRegisters& registers) {
  std::vector<uint64_t> matrix(static_cast<size_t>(map.size()), 0);
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int i = map.elements - 1; i >= 0; --i) {  // of copies the first one counts
      const Place at = place_in_register(map, i);
      const uint64_t word = registers[static_cast<size_t>(at.reg)][static_cast<size_t>(lane)];
      matrix[map.place[static_cast<size_t>(lane * map.elements + i)]] =
          (word >> at.shift) & element_mask(map);
    }
  }
  return matrix;
}

MatrixRegisters scatter_matrix(const OperandMap& map, const std::vector<uint64_t>& matrix) {
  MatrixRegisters registers(static_cast<size_t>(map.registers()), PerLane<uint64_t>{});
  for (int lane = 0; lane < kWarpSize; ++lane) {
    for (int i = 0; i < map.elements; ++i) {
      const Place at = place_in_register(map, i);
      const uint64_t bits = matrix[map.place[static_cast<size_t>(lane * map.elements + i)]];
      registers[static_cast<size_t>(at.reg)][static_cast<size_t>(lane)] |= bits << at.shift;
    }
  }
  return registers;
}

MatrixRegisters MatrixProduct::operator()(const MatrixRegisters& a_registers,
                                          const MatrixRegisters& b_registers,
                                          const MatrixRegisters& c_registers) const {
  const std::vector<uint64_t> am = gather_matrix(a, a_registers),
                              bm = gather_matrix(b, b_registers);
  const std::vector<uint64_t> cm = gather_matrix(c, c_registers);
  if (!a.type.is_float) return scatter_matrix(d, multiply(*this, am, bm, cm, dot_integer));
  if (a.element_bits == 64) return scatter_matrix(d, multiply(*this, am, bm, cm, dot_double));
  return scatter_matrix(d, multiply(*this, as_factors(a, am), as_factors(b, bm), cm, dot_float));
}

}  // namespace warpledger::exec
