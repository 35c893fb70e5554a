#include "warpledger/exec/semantics/tensor_multiply.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "warpledger/exec/semantics/dense_product.h"
#include "warpledger/exec/semantics/tensor_panels.h"

namespace warpledger::exec {
namespace {

DenseOperand gather(const TensorMultiply& work, bool is_a) {
  const TensorProduct& plan = work.plan;
  DenseOperand operand{.type = type_info(is_a ? plan.a : plan.b),
                       .rows = is_a ? plan.m : plan.n,
                       .negated = is_a ? plan.negates_a : plan.negates_b};
  for (int i = 0; i < plan.cta_group; ++i) {
    const TensorPart& from = work.parts[static_cast<size_t>(i)];
    const SharedOperand& shape = is_a ? work.a : work.b;
    const std::vector<uint32_t> part = is_a && !work.a_is_shared
                                           ? read_tensor_a(plan, *from.tensor, work.a_in_tensor)
                                           : shape.read(from.shared, shape.chunks());
    operand.elements.insert(operand.elements.end(), part.begin(), part.end());
  }
  if (plan.scale_every == 0) return operand;
  operand.scale_every = plan.scale_every;
  operand.scale = read_scales(plan, *work.parts[0].tensor, is_a ? work.a_scale : work.b_scale,
                              operand.rows, is_a ? plan.a_scale_id : plan.b_scale_id);
  return operand;
}

bool is_kept(const TensorMultiply& work, const TensorCell& at) {
  const size_t word = at.cta * 4 + at.lane / 32;
  return word < work.kept_lanes.size() && (work.kept_lanes[word] >> at.lane % 32 & 1) != 0;
}

/// f(element of D, its place, its cell) for each.
template <class F>
void each_cell(const TensorMultiply& work, F f) {
  const TensorProduct& plan = work.plan;
  for (uint32_t column = 0; column < plan.n; ++column) {
    for (uint32_t row = 0; row < plan.m; ++row) {
      const TensorCell at = place_of(plan, row, column);
      f(size_t{row} * plan.n + column, at,
        work.parts[at.cta].tensor->cell(work.d.lane + at.lane, work.d.column + at.column));
    }
  }
}

uint32_t scaled_down(uint32_t bits, int by) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  value = std::ldexp(value, -by);
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

uint32_t addend_of(const TensorMultiply& work, uint32_t bits) {
  if (work.plan.half_result) return bits & 0xffff;
  return work.scale_d == 0 ? bits : scaled_down(bits, work.scale_d);
}

numeric::TensorCore core_of(const TensorProduct& plan) {
  const numeric::Format format = type_info(plan.a).format;
  if (format.bits() <= 8) return {.block = 32, .fraction_bits = 25};
  return numeric::tensor_core(100, format);
}

/// Why so much of tensor memory from `at` on is not there, in some block; empty: it is.
std::string missing(const TensorMultiply& work, TensorAddress at, uint32_t lanes,
                    uint32_t columns) {
  for (const TensorPart& part : work.parts) {
    if (part.tensor == nullptr || part.tensor->holds(at, lanes, columns)) continue;
    if (at.lane + lanes <= kTensorLanes)
      return fmt::format("columns {} to {} of tensor memory are not allocated", at.column,
                         at.column + columns - 1);
    return fmt::format("{} lanes of tensor memory from lane {} on: it has {}", lanes, at.lane,
                       kTensorLanes);
  }
  return {};
}

/// Lanes of a matrix of m rows: 64 of them lie 16 in each warp's 32.
uint32_t lanes_of(const TensorProduct& plan) {
  const bool spread = plan.m == 64 && plan.cta_group == 1 && !plan.weight_stationary;
  return spread ? 112 : kTensorLanes;
}

}  // namespace

SharedOperand TensorMultiply::shape_of(bool is_a) const {
  return {.mn_major = is_a ? plan.a_mn_major : plan.b_mn_major,
          .rows = is_a ? plan.a_rows() : plan.b_rows(),
          .k = plan.k,
          .element_bits =
              plan.kind == ptx::Modifier::kKindTf32 ? 32 : type_info(is_a ? plan.a : plan.b).bits,
          .per_chunk = plan.per_chunk()};
}

uint32_t TensorMultiply::columns_of_a() const {
  return plan.k * static_cast<uint32_t>(std::max(4, 128 / plan.per_chunk())) / 32;
}

std::string TensorMultiply::refusal() const {
  if (plan.half_result && scale_d != 0) return "a scale of an f16 D";
  if (!a_is_shared && plan.per_chunk() == 16 && type_info(plan.a).bits < 8)
    return "A of less than 8 bits in tensor memory";
  return {};
}

std::string TensorMultiply::missing_cells() const {
  const uint32_t lanes = lanes_of(plan);
  std::string why = missing(*this, d, lanes, plan.columns());
  if (why.empty() && !a_is_shared)
    why =
        missing(*this, a_in_tensor, lanes == kTensorLanes ? plan.a_rows() : lanes, columns_of_a());
  if (why.empty() && plan.scale_every != 0) why = missing(*this, a_scale, 32, (plan.m + 31) / 32);
  if (why.empty() && plan.scale_every != 0) why = missing(*this, b_scale, 32, (plan.n + 31) / 32);
  return why;
}

void TensorMultiply::operator()() const {
  const numeric::TensorCore core = core_of(plan);
  if (multiply_panels(*this, core)) return;
  const DenseOperand left = gather(*this, true), right = gather(*this, false);
  std::vector<uint32_t> sums(size_t{plan.m} * plan.n);
  if (adds) {
    each_cell(*this, [&](size_t i, const TensorCell&, uint32_t cell) {
      sums[i] = addend_of(*this, cell);
    });
  }
  const DenseProduct product{
      .k = plan.k, .core = core, .half_result = plan.half_result, .satfinite = plan.satfinite};
  product(left, right, sums);
  each_cell(*this, [&](size_t i, const TensorCell& at, uint32_t& cell) {
    if (!is_kept(*this, at)) cell = sums[i];
  });
}

}  // namespace warpledger::exec
