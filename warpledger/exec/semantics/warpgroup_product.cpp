#include "warpledger/exec/semantics/warpgroup_product.h"

#include <algorithm>
#include <cstring>

#include "warpledger/exec/semantics/dense_product.h"
#include "warpledger/exec/semantics/panel_source.h"

namespace warpledger::exec {
namespace {

using numeric::PanelLine;
using Sources = WarpgroupProduct::Sources;

constexpr uint32_t kLanes = 32, kMostColumns = 256;

/// wgmma of fp8 on sm_90 keeps 13 bits of sums of 32 (numeric/tensor_core.h).
numeric::TensorCore core_of(const WarpgroupProduct& product, int arch) {
  if (product.a.is_float && product.a.bits == 8)
    return {.block = 32, .fraction_bits = 13, .result_bits = 13};
  return numeric::tensor_core(arch, product.a.format);
}

bool takes_form(const WarpgroupProduct& product) {
  const bool is_plain =
      product.d.is_float && product.d.bits == 32 && !product.negates_a && !product.negates_b;
  return product.b.is_float && product.a.format == product.b.format && is_plain;
}

/// The warp's 16 rows of A, in the order of a panel.
void read_a(const Sources& sources, std::span<PanelLine, kWarpgroupRows> rows) {
  PanelLine found[kWarpgroupRows];
  if (sources.a != nullptr)
    read_lines(sources.a->shape, sources.shared, sources.a->chunks, sources.a->first, found);
  for (uint32_t row = 0; row < kWarpgroupRows && sources.a == nullptr; ++row) {
    // Register q: eight rows from 8 (q % 2) on, elements from 8 (q / 2) on, a row in four lanes.
    const uint32_t* const first = sources.registers.data() + row / 8 * kLanes + row % 8 * 4;
    std::memcpy(found[row].element, first, 16);
    std::memcpy(found[row].element + 8, first + size_t{2} * kLanes, 16);
  }
  for (uint32_t place = 0; place < kWarpgroupRows; ++place)
    rows[place] = found[numeric::panel_row(place)];
}

/// False, and nothing written: panels do not take the form or a value.
bool multiply_panels(const WarpgroupProduct& product, const Sources& sources,
                     const numeric::TensorCore& core, std::span<uint32_t> d) {
  const auto format = panel_format(product.a);
  if (!format || !takes_form(product) || !numeric::panels_take(core)) return false;
  PanelLine rows[kWarpgroupRows], columns[kMostColumns];
  numeric::LeftPanel left;
  read_a(sources, rows);
  if (!numeric::unpack(left, rows, *format)) return false;
  static thread_local KnownPanels known;
  read_lines(sources.b->shape, sources.shared, sources.b->chunks, 0, std::span(columns, product.n));
  const std::span<const numeric::RightPanel> right =
      known.find(sources.b->shape.descriptor.start, std::span(columns, product.n), *format);
  const auto fits = [&](const numeric::RightPanel& b) { return numeric::panels_take(left, b); };
  if (right.empty() || !std::ranges::all_of(right, fits)) return false;
  alignas(64) uint32_t sums[kMostColumns * kWarpgroupRows];
  const numeric::PanelResults results{.d = sums, .adds = product.adds};
  if (product.adds) numeric::columns_of_registers(d, sums);
  if (product.adds && !numeric::panels_take(results, product.n)) return false;
  numeric::sum_panels(left, right, core, results);
  numeric::registers_of_columns(sums, d);
  return true;
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
  if (multiply_panels(*this, sources, core, accumulators)) return;
  multiply_elements(*this, sources, core, accumulators);
}

}  // namespace warpledger::exec
