#include "warpledger/exec/semantics/warpgroup_product.h"

#include <algorithm>
#include <cstring>

#include "warpledger/exec/numeric/tile_vectors.h"
#include "warpledger/exec/semantics/dense_product.h"

namespace warpledger::exec {
namespace {

using Sources = WarpgroupProduct::Sources;

constexpr uint32_t kLanes = 32, kDepth = 16, kPerChunk = 8;
using Fragment16 = uint32_t[4][kLanes];  // A, C or D of mma.m16n8k16
using Fragment8 = uint32_t[2][kLanes];   // B

/// wgmma of fp8 on sm_90 keeps 13 bits of sums of 32 (numeric/tensor_core.h).
numeric::TensorCore core_of(const WarpgroupProduct& product, int arch) {
  if (product.a.is_float && product.a.bits == 8)
    return {.block = 32, .fraction_bits = 13, .result_bits = 13};
  return numeric::tensor_core(arch, product.a.format);
}

uint32_t half_at(std::span<const std::byte> shared, uint32_t offset) {
  uint16_t half = 0;
  std::memcpy(&half, shared.data() + offset, sizeof half);
  return half;
}

/// Eight rows (or columns) from `row` on, elements 8 * `chunk` to 8 * `chunk` + 7 of each: two a
/// lane, four lanes a row.
void read_core(const SharedSource& from, std::span<const std::byte> shared, uint32_t row,
               uint32_t chunk, uint32_t (&to)[kLanes]) {
  const uint32_t along = from.shape.chunks_along();
  for (uint32_t r = 0; r < 8 && !from.shape.mn_major; ++r)
    std::memcpy(&to[4 * r], shared.data() + from.chunks[(row + r) * along + chunk], 16);
  for (uint32_t lane = 0; lane < kLanes && from.shape.mn_major; ++lane) {
    const uint32_t at = row + lane / 4, k = kPerChunk * chunk + 2 * (lane % 4);
    const uint32_t here = k * along + at / kPerChunk, byte = at % kPerChunk * 2;
    to[lane] = half_at(shared, from.chunks[here] + byte) |
               half_at(shared, from.chunks[here + along] + byte) << 16;
  }
}

void read_a(const Sources& sources, Fragment16& a) {
  for (uint32_t q = 0; q < 4; ++q) {
    if (sources.a == nullptr)
      std::copy_n(sources.registers.data() + size_t{q} * kLanes, kLanes, a[q]);
    else
      read_core(*sources.a, sources.shared, sources.a->first + 8 * (q % 2), q / 2, a[q]);
  }
}

/// False, and nothing written: the vectors do not take a value.
bool multiply_tiles(const WarpgroupProduct& product, const Sources& sources,
                    const numeric::TensorCore& core, std::span<uint32_t> d) {
  alignas(64) Fragment16 a, c = {};
  alignas(64) Fragment8 b;
  std::vector<uint32_t> results(d.size());
  read_a(sources, a);
  for (uint32_t column = 0; column < product.n; column += 8) {
    const size_t at = size_t{column / 2} * kLanes;
    for (uint32_t q = 0; q < 2; ++q) read_core(*sources.b, sources.shared, column, q, b[q]);
    if (product.adds) std::memcpy(c, d.data() + at, sizeof c);
    const bool bf16 = product.a.format == numeric::kBf16;
    if (!numeric::multiply_halves({a[0], b[0], c[0], results.data() + at}, kDepth, bf16, core))
      return false;
  }
  std::copy(results.begin(), results.end(), d.begin());
  return true;
}

bool takes_tiles(const WarpgroupProduct& product) {
  const bool halves = product.a.format == product.b.format &&
                      (product.a.format == numeric::kF16 || product.a.format == numeric::kBf16);
  const bool plain =
      product.d.is_float && product.d.bits == 32 && !product.negates_a && !product.negates_b;
  return product.a.is_float && halves && plain && product.k == kDepth;
}

void read_shared(const Sources& sources, const SharedSource& source, DenseOperand& operand) {
  const std::vector<uint32_t> all = source.shape.read(sources.shared, source.chunks);
  operand.elements.assign(all.begin() + static_cast<std::ptrdiff_t>(source.first * source.shape.k),
                          all.end());
}

// A from registers: element i of a lane, e elements each register, j = i % e, q = i / e, holds row
// lane / 4 + 8 (q % 2) and column e (lane % 4) + j + 4 e (q / 2).
void read_a_registers(std::span<const uint32_t> registers, DenseOperand& a, uint32_t k) {
  const auto bits = static_cast<uint32_t>(a.type.bits), e = 32 / bits;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  a.elements.resize(size_t{kWarpgroupRows} * k);
  for (uint32_t q = 0; q < registers.size() / kLanes; ++q) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t word = registers[q * kLanes + lane];
      for (uint32_t j = 0; j < e; ++j) {
        const uint32_t row = lane / 4 + 8 * (q % 2), column = e * (lane % 4) + j + 4 * e * (q / 2);
        a.elements[row * k + column] = static_cast<uint32_t>(word >> (j * bits) & mask);
      }
    }
  }
}

// D: element i of a lane is row lane / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (lane % 4) + i % 2.
// f(word, shift, element) for each.
template <class F>
void each_result(const WarpgroupProduct& product, std::span<uint32_t> d, F f) {
  const uint32_t per = product.d.bits == 16 ? 2 : 1;
  for (uint32_t i = 0; i < product.results() * per; ++i) {
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t row = lane / 4 + 8 * (i / 2 % 2),
                     column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
      f(d[i / per * kLanes + lane], 16 * (i % per), row * product.n + column);
    }
  }
}

void multiply_elements(const WarpgroupProduct& product, const Sources& sources,
                       const numeric::TensorCore& core, std::span<uint32_t> d) {
  DenseOperand a{.type = product.a, .rows = kWarpgroupRows, .negated = product.negates_a},
      b{.type = product.b, .rows = product.n, .negated = product.negates_b};
  if (sources.a == nullptr)
    read_a_registers(sources.registers, a, product.k);
  else
    read_shared(sources, *sources.a, a);
  read_shared(sources, *sources.b, b);
  const uint32_t mask = product.d.bits == 16 ? 0xffff : ~0U;
  std::vector<uint32_t> sums(size_t{kWarpgroupRows} * product.n);
  if (product.adds)
    each_result(product, d, [&](uint32_t word, uint32_t shift, uint32_t element) {
      sums[element] = word >> shift & mask;
    });
  const DenseProduct dense{.k = product.k,
                           .core = core,
                           .half_result = product.d.bits == 16,
                           .satfinite = product.satfinite};
  dense(a, b, sums);
  each_result(product, d, [&](uint32_t& word, uint32_t shift, uint32_t element) {
    word = (word & ~(mask << shift)) | (sums[element] & mask) << shift;
  });
}

SharedOperand shape_of(const TypeInfo& type, uint32_t k, bool mn_major) {
  return {.mn_major = mn_major, .k = k, .element_bits = type.bits, .per_chunk = 128 / type.bits};
}

}  // namespace

TypeInfo warpgroup_type(ptx::Type type) {
  TypeInfo info = type_info(type);
  if (type == ptx::Type::kTf32) info.bits = info.element_bits = 32;
  if (type == ptx::Type::kB1) info.bits = info.element_bits = 1;
  return info;
}

SharedOperand WarpgroupProduct::shape_of_a() const { return shape_of(a, k, a_mn_major); }
SharedOperand WarpgroupProduct::shape_of_b() const { return shape_of(b, k, b_mn_major); }

void WarpgroupProduct::operator()(const Sources& sources, int arch,
                                  std::span<uint32_t> accumulators) const {
  const numeric::TensorCore core = core_of(*this, arch);
  if (takes_tiles(*this) && multiply_tiles(*this, sources, core, accumulators)) return;
  multiply_elements(*this, sources, core, accumulators);
}

}  // namespace warpledger::exec
