#include "warpledger/exec/semantics/tensor_product.h"

#include <fmt/core.h>

#include <bit>
#include <cmath>
#include <limits>

namespace warpledger::exec {
namespace {

using ptx::Modifier;
using ptx::Type;

bool is_scaled(Modifier kind) {
  return kind == Modifier::kKindMxf8f6f4 || kind == Modifier::kKindMxf4 ||
         kind == Modifier::kKindMxf4nvf4;
}
bool is_four_bit(Modifier kind) {
  return kind == Modifier::kKindMxf4 || kind == Modifier::kKindMxf4nvf4;
}

Type element_of(Modifier kind, uint32_t code) {
  if (kind == Modifier::kKindTf32) return code == 2 ? Type::kTf32 : Type::kNone;
  if (kind == Modifier::kKindF16)
    return code == 0 ? Type::kF16 : code == 1 ? Type::kBf16 : Type::kNone;
  if (kind == Modifier::kKindI8) return code == 0 ? Type::kU8 : code == 1 ? Type::kS8 : Type::kNone;
  if (is_four_bit(kind)) return code == 1 ? Type::kE2m1 : Type::kNone;
  static constexpr Type kTypes[] = {Type::kE4m3, Type::kE5m2, Type::kNone, Type::kE2m3,
                                    Type::kE3m2, Type::kE2m1, Type::kNone, Type::kNone};
  return kTypes[code];
}

uint32_t depth_of(Modifier kind) {
  if (kind == Modifier::kKindF16) return 16;
  if (kind == Modifier::kKindTf32) return 8;
  return is_four_bit(kind) ? 64 : 32;
}

Diagnostic bad(std::string message) {
  return {.message = "instruction descriptor: " + std::move(message),
          .code = "bad-instruction-descriptor"};
}

Status check_shape(const TensorProduct& plan) {
  const uint32_t step = plan.weight_stationary ? 64 : 8 * static_cast<uint32_t>(plan.cta_group);
  bool rows = plan.cta_group == 1 ? plan.m == 64 || plan.m == 128 : plan.m == 128 || plan.m == 256;
  if (plan.weight_stationary) rows = plan.m == 32 || plan.m == 64 || plan.m == 128;
  if (is_scaled(plan.kind) && plan.cta_group == 1) rows = plan.m == 128;
  if (rows && plan.n != 0 && plan.n <= 256 && plan.n % step == 0) return {};
  return bad(
      fmt::format("no product of {} x {} with .cta_group::{}", plan.m, plan.n, plan.cta_group));
}

}  // namespace

int TensorProduct::per_chunk() const {
  if (kind == Modifier::kKindTf32) return 4;
  if (kind == Modifier::kKindF16) return 8;
  return is_four_bit(kind) ? 32 : 16;
}

uint32_t TensorProduct::columns() const {
  if (weight_stationary) return m == 128 ? n : m == 64 ? n / 2 : n / 4;
  return cta_group == 2 && m == 128 ? n / 2 : n;
}

uint32_t scale_every_of(const ptx::Spelling& spelling) {
  const Modifier kind = spelling.get(ptx::Slot::kKind);
  if (!is_scaled(kind)) return 0;
  switch (spelling.get(ptx::Slot::kScaleVector)) {
    case Modifier::kScaleVec4X:
    case Modifier::kBlock16:
      return 16;
    case Modifier::kNone:
      return kind == Modifier::kKindMxf4nvf4 ? 16 : 32;
    default:
      return 32;
  }
}

Result<TensorProduct> plan_tensor_product(const TensorSpelling& spelling, uint32_t bits) {
  const auto field = [bits](int first, int count) { return bits >> first & ((1u << count) - 1); };
  TensorProduct plan{.cta_group = spelling.cta_group,
                     .weight_stationary = spelling.weight_stationary,
                     .kind = spelling.kind};
  const bool scaled = is_scaled(plan.kind);
  plan.n = field(17, 6) << 3;
  plan.m = scaled ? field(27, 2) << 7 : field(24, 5) << 4;
  plan.k = depth_of(plan.kind);
  plan.a = element_of(plan.kind, field(7, 3));
  plan.b = element_of(plan.kind, is_four_bit(plan.kind) ? field(10, 2) : field(10, 3));
  if (plan.a == Type::kNone || plan.b == Type::kNone)
    return bad(fmt::format("element types {} and {} are none of .{}", field(7, 3), field(10, 3),
                           ptx::to_text(plan.kind)));
  if (field(2, 1) != 0) return bad("sparse products are not executed yet");
  plan.half_result = !scaled && plan.kind != Modifier::kKindI8 && field(4, 2) == 0;
  plan.satfinite = plan.kind == Modifier::kKindI8 && field(3, 1) != 0;
  plan.negates_a = field(13, 1) != 0;
  plan.negates_b = field(14, 1) != 0;
  plan.a_mn_major = field(15, 1) != 0;
  plan.b_mn_major = field(16, 1) != 0;
  if (scaled) {
    plan.a_scale_id = field(29, 2);
    plan.b_scale_id = field(4, 2);
    plan.scales_e4m3 = field(23, 1) == 0;
    plan.scale_every = spelling.scale_every;
    if (field(31, 1) != 0) return bad("K = 96 is not executed yet");
    if (plan.cta_group == 2) return bad("block scales of a pair are not executed yet");
  }
  WL_TRY_STATUS(check_shape(plan));
  return plan;
}

TensorCell place_of(const TensorProduct& plan, uint32_t row, uint32_t column) {
  const uint32_t half = plan.n / 2, quarter = plan.n / 4;
  if (plan.weight_stationary && plan.m == 64)  // layout E
    return {0, row + 64 * (column / half), column % half};
  if (plan.weight_stationary && plan.m == 32)  // layout G
    return {0, row + 32 * (column / quarter), column % quarter};
  if (plan.cta_group == 2 && plan.m == 128)  // layout B
    return {row / 64, row % 64 + 64 * (column / half), column % half};
  if (plan.cta_group == 2) return {row / 128, row % 128, column};    // layout A
  if (plan.m == 64) return {0, row % 16 + 32 * (row / 16), column};  // layout F
  return {0, row, column};                                           // layout D
}

uint32_t stretch_of(const TensorProduct& plan) {
  if (plan.weight_stationary && plan.m == 32) return plan.n / 4;
  const bool folded = plan.weight_stationary ? plan.m == 64 : plan.cta_group == 2 && plan.m == 128;
  return folded ? plan.n / 2 : plan.n;
}

uint32_t lane_of_a(const TensorProduct& plan, uint32_t row) {
  const bool spread = plan.m == 64 && plan.cta_group == 1 && !plan.weight_stationary;
  return spread ? row % 16 + 32 * (row / 16) : row;
}

std::vector<uint32_t> read_tensor_a(const TensorProduct& plan, TensorMemory& tensor,
                                    TensorAddress at) {
  const auto bits = static_cast<uint32_t>(std::max(4, 128 / plan.per_chunk()));
  const uint32_t per = 32 / bits, rows = plan.a_rows();
  std::vector<uint32_t> elements(size_t{rows} * plan.k);
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t lane = at.lane + lane_of_a(plan, row);
    for (uint32_t i = 0; i < plan.k; ++i) {
      const uint64_t word = tensor.cell(lane, at.column + i / per);
      elements[row * plan.k + i] =
          static_cast<uint32_t>(word >> (i % per * bits) & ((uint64_t{1} << bits) - 1));
    }
  }
  return elements;
}

std::vector<double> read_scales(const TensorProduct& plan, TensorMemory& tensor, TensorAddress at,
                                uint32_t rows, uint32_t id) {
  const uint32_t parts = plan.k / plan.scale_every;
  std::vector<double> scales(size_t{rows} * parts);
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t word = tensor.cell(at.lane + row % 32, at.column + row / 32);
    for (uint32_t part = 0; part < parts; ++part) {
      const uint32_t byte = word >> (8 * (id + part)) & 0xff;
      double scale = byte == 0xff ? std::numeric_limits<double>::quiet_NaN()
                                  : std::ldexp(1.0, static_cast<int>(byte) - 127);
      if (plan.scales_e4m3) {
        const uint64_t wide = numeric::convert(numeric::kF64, numeric::kE4m3, byte & 0x7f);
        scale = std::bit_cast<double>(wide);
      }
      scales[row * parts + part] = scale;
    }
  }
  return scales;
}

}  // namespace warpledger::exec
