// wgmma and tcgen05.mma of 16-bit elements by panels against the model, one result at a time:
// operands read chunk by chunk, results looked up cell by cell.
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "tests/support/law.h"
#include "warpledger/exec/semantics/tensor_multiply.h"
#include "warpledger/exec/semantics/warpgroup_product.h"

namespace warpledger::exec {
namespace {

using numeric::Factor;
using testing::Rng;

constexpr uint32_t kDepth = 16;

/// Random elements close to 1, some of them zero, some special where that is asked for.
std::vector<std::byte> any_shared(Rng& rng, const numeric::Format& format, bool special) {
  std::vector<std::byte> shared(64 * 1024);
  for (size_t at = 0; at < shared.size(); at += 2) {
    const auto code = static_cast<uint64_t>(format.bias() + rng.between(-6, 3));
    auto bits =
        static_cast<uint16_t>((rng.bits() & format.sign_bit()) | code << format.fraction_bits |
                              (rng.bits() & format.fraction_mask()));
    if (rng.between(0, 9) == 0) bits = 0;
    if (special && rng.between(0, 999) == 0)
      bits = static_cast<uint16_t>(format.sign_bit() - 1);  // NaN
    std::memcpy(shared.data() + at, &bits, sizeof bits);
  }
  return shared;
}

uint32_t any_sum(Rng& rng) {
  if (rng.between(0, 5) == 0) return 0;
  return std::bit_cast<uint32_t>(
      std::ldexp(static_cast<float>(rng.between(-1000000, 1000000)) + 0.5f, -20));
}

/// Descriptors of operands that fit into any_shared().
void place(Rng& rng, SharedOperand& operand) {
  operand.mn_major = rng.coin();
  operand.descriptor.mode =
      rng.pick(std::vector{SharedMode::kNone, SharedMode::k32, SharedMode::k64, SharedMode::k128});
  operand.descriptor.start = static_cast<uint32_t>(rng.between(0, 15)) * 1024;
  operand.descriptor.leading_offset = operand.mn_major ? 4096 : 2048;
  operand.descriptor.stride_offset = 1024;
}

std::vector<Factor> factors_of(const SharedOperand& operand, const numeric::Format& format,
                               std::span<const std::byte> shared) {
  std::vector<Factor> factors;
  for (const uint32_t bits : operand.read(shared, operand.chunks()))
    factors.push_back(numeric::unpack_factor(format, bits));
  return factors;
}

uint32_t dot(const numeric::TensorCore& core, std::span<const Factor> a, uint32_t row,
             std::span<const Factor> b, uint32_t column, uint32_t c) {
  return numeric::dot_f32(core, a.subspan(size_t{row} * kDepth, kDepth),
                          b.subspan(size_t{column} * kDepth, kDepth), c);
}

// ------------------------------------------------------------------------------------ wgmma

LAW(PanelProducts, OfAWarpgroupEqualTheModel) {
  const ptx::Type type = rng.coin() ? ptx::Type::kF16 : ptx::Type::kBf16;
  const numeric::Format format = type_info(type).format;
  const auto shared = any_shared(rng, format, rng.between(0, 3) == 0);
  WarpgroupProduct product{.n = 8 * static_cast<uint32_t>(rng.between(1, 8)),
                           .k = kDepth,
                           .d = type_info(ptx::Type::kF32),
                           .a = warpgroup_type(type),
                           .b = warpgroup_type(type),
                           .a_in_registers = rng.coin(),
                           .adds = rng.coin()};
  SharedOperand a{.rows = 64, .k = kDepth}, b{.rows = product.n, .k = kDepth};
  place(rng, a), place(rng, b);
  product.a_mn_major = a.mn_major, product.b_mn_major = b.mn_major;
  const auto first = 16 * static_cast<uint32_t>(rng.between(0, 3));
  const auto left = factors_of(a, format, shared), right = factors_of(b, format, shared);
  std::vector<uint32_t> d(size_t{product.results()} * 32), want(d.size()), registers(4 * 32);
  for (uint32_t& bits : d) bits = any_sum(rng);
  const numeric::TensorCore core = numeric::tensor_core(90, format);
  for (uint32_t i = 0; i < want.size(); ++i) {
    const uint32_t lane = i % 32, element = i / 32;
    const uint32_t row = lane / 4 + 8 * (element / 2 % 2);
    const uint32_t column = 8 * (element / 4) + 2 * (lane % 4) + element % 2;
    want[i] = dot(core, left, first + row, right, column, product.adds ? d[i] : 0);
  }
  const auto elements = a.read(shared, a.chunks());
  for (uint32_t i = 0; i < registers.size(); ++i) {
    const uint32_t lane = i % 32, q = i / 32;
    const uint32_t at = (first + lane / 4 + 8 * (q % 2)) * kDepth + 2 * (lane % 4) + 8 * (q / 2);
    registers[i] = elements[at] | elements[at + 1] << 16;
  }
  const auto a_chunks = a.chunks(), b_chunks = b.chunks();
  const SharedSource from_a{a, a_chunks, first}, from_b{b, b_chunks, 0};
  product({.shared = shared,
           .a = product.a_in_registers ? nullptr : &from_a,
           .registers = registers,
           .b = &from_b},
          90, d);
  EXPECT_EQ(d, want);
}

// ------------------------------------------------------------------------------------ tcgen05

struct Form {
  uint32_t m;
  int cta_group;
  bool weight_stationary;
};

LAW(PanelProducts, InTensorMemoryEqualTheModel) {
  const Form form = rng.pick(std::vector<Form>{{64, 1, false},
                                               {128, 1, false},
                                               {128, 2, false},
                                               {256, 2, false},
                                               {32, 1, true},
                                               {64, 1, true},
                                               {128, 1, true}});
  const ptx::Type type = rng.coin() ? ptx::Type::kF16 : ptx::Type::kBf16;
  const numeric::Format format = type_info(type).format;
  TensorMultiply work;
  work.plan = {.m = form.m,
               .n = form.weight_stationary ? 64 : 16 * static_cast<uint32_t>(rng.between(1, 2)),
               .k = kDepth,
               .cta_group = form.cta_group,
               .weight_stationary = form.weight_stationary,
               .a = type,
               .b = type,
               .kind = ptx::Modifier::kKindF16};
  const bool special = rng.between(0, 3) == 0;
  const std::vector<std::byte> shared[2] = {any_shared(rng, format, special),
                                            any_shared(rng, format, special)};
  TensorMemory tensor[2];
  for (TensorMemory& one : tensor) {
    ASSERT_TRUE(one.allocate(256));
    for (uint32_t lane = 0; lane < kTensorLanes; ++lane)
      for (uint32_t column = 0; column < 256; ++column) one.cell(lane, column) = any_sum(rng);
  }
  work.d.column = static_cast<uint32_t>(rng.between(0, 100));
  work.a_in_tensor.column = 200;
  work.a_is_shared = rng.coin();
  work.adds = rng.coin();
  if (rng.between(0, 4) == 0) work.kept_lanes = {0x00ff00f0, 0, 1, 0};
  if (rng.between(0, 4) == 0) work.scale_d = 3;
  work.a = work.shape_of(true), work.b = work.shape_of(false);
  place(rng, work.a), place(rng, work.b);
  work.plan.a_mn_major = work.a.mn_major, work.plan.b_mn_major = work.b.mn_major;
  std::vector<Factor> left, right;
  for (int i = 0; i < form.cta_group; ++i) {
    work.parts[static_cast<size_t>(i)] = {&tensor[i], shared[i]};
    if (!work.a_is_shared) {  // elements, not sums
      for (uint32_t lane = 0; lane < kTensorLanes; ++lane)
        for (uint32_t column = 0; column < 8; ++column)
          std::memcpy(&tensor[i].cell(lane, 200 + column),
                      shared[i].data() + 4 * (lane * 8 + column), 4);
      for (const uint32_t bits : read_tensor_a(work.plan, tensor[i], work.a_in_tensor))
        left.push_back(numeric::unpack_factor(format, bits));
    } else {
      const auto part = factors_of(work.a, format, shared[i]);
      left.insert(left.end(), part.begin(), part.end());
    }
    const auto part = factors_of(work.b, format, shared[i]);
    right.insert(right.end(), part.begin(), part.end());
  }
  TensorMemory want[2] = {tensor[0], tensor[1]};
  const numeric::TensorCore core = numeric::tensor_core(100, format);
  for (uint32_t row = 0; row < work.plan.m; ++row) {
    for (uint32_t column = 0; column < work.plan.n; ++column) {
      const TensorCell at = place_of(work.plan, row, column);
      const size_t word = at.cta * 4 + at.lane / 32;
      const bool kept =
          word < work.kept_lanes.size() && (work.kept_lanes[word] >> at.lane % 32 & 1) != 0;
      uint32_t& cell = want[at.cta].cell(at.lane, work.d.column + at.column);
      const float c = std::ldexp(std::bit_cast<float>(cell), -work.scale_d);
      if (!kept)
        cell = dot(core, left, row, right, column, work.adds ? std::bit_cast<uint32_t>(c) : 0);
    }
  }
  work();
  for (size_t i = 0; i < 2; ++i)
    for (uint32_t column = 0; column < 256; ++column)
      ASSERT_TRUE(std::ranges::equal(tensor[i].lanes(0, column, kTensorLanes),
                                     want[i].lanes(0, column, kTensorLanes)))
          << "block " << i << ", column " << column << ", m " << form.m << ", n " << work.plan.n;
}

}  // namespace
}  // namespace warpledger::exec
