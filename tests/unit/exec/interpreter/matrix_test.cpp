// mma and wmma in all shapes and types: products of small integers, exact in every type.
#include "warpledger/exec/semantics/matrix.h"

#include <bit>

#include "tests/support/law.h"
#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/semantics/spellings.h"

namespace warpledger::exec {
namespace {

uint64_t encoded(const OperandMap& map, int64_t value) {
  const uint64_t mask =
      map.element_bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << map.element_bits) - 1;
  if (!map.type.is_float) return static_cast<uint64_t>(value) & mask;
  const uint64_t bits =
      numeric::from_integer(map.type.format, {64, true}, static_cast<uint64_t>(value));
  return map.type.format == numeric::kTf32 ? bits << 13 : bits;
}

std::vector<int64_t> any_matrix(testing::Rng& rng, const OperandMap& map) {
  const bool bit = map.element_bits == 1, is_signed = map.type.is_signed || map.type.is_float;
  std::vector<int64_t> values(static_cast<size_t>(map.size()));
  for (int64_t& value : values) value = rng.between(is_signed ? -3 : 0, bit ? 1 : 3);
  return values;
}

std::vector<uint64_t> bits_of(const OperandMap& map, const std::vector<int64_t>& values) {
  std::vector<uint64_t> bits;
  for (const int64_t value : values) bits.push_back(encoded(map, value));
  return bits;
}

void check_product(testing::Rng& rng, const std::string& text, int arch) {
  ptx::SpellingFault fault;
  const auto spelling = ptx::decode_spelling(text, fault);
  ASSERT_TRUE(spelling) << text;
  const auto plan = plan_product(*spelling, arch);
  ASSERT_TRUE(plan) << text << ": " << plan.error().message;
  const auto a = any_matrix(rng, plan->a), b = any_matrix(rng, plan->b),
             c = any_matrix(rng, plan->c);
  const auto d = gather_matrix(plan->d, (*plan)(scatter_matrix(plan->a, bits_of(plan->a, a)),
                                                scatter_matrix(plan->b, bits_of(plan->b, b)),
                                                scatter_matrix(plan->c, bits_of(plan->c, c))));
  const auto m = static_cast<size_t>(plan->m), n = static_cast<size_t>(plan->n),
             k = static_cast<size_t>(plan->k);
  for (size_t at = 0; at < d.size(); ++at) {
    const size_t product = at / (m * n), row = at / n % m, col = at % n;
    int64_t want = c[at];
    for (size_t i = 0; i < k; ++i) {
      const int64_t x = a[product * m * k + row * k + i], y = b[product * k * n + i * n + col];
      want += plan->a.element_bits != 1 ? x * y : plan->is_and ? x & y : x ^ y;
    }
    // Rounded down, a sum that cancels is -0.
    const bool either = want == 0 && plan->rounding == numeric::Rounding::kDown;
    ASSERT_EQ(either ? d[at] << 1 : d[at], encoded(plan->d, want))
        << text << " at " << row << ", " << col;
  }
}

// What the table spells but no product is: shapes that a type does not have.
bool is_product(const ptx::Spelling& s) {
  const bool halves = s.op() == Op::kMma && s.shape.k == 4 && s.type(1) == ptx::Type::kF16;
  return !halves || s.type(0) == ptx::Type::kF32 || s.type(3) == ptx::Type::kF16;
}

// Every word of every form of mma and wmma.mma.
LAW_ROUNDS(Matrix, SmallIntegersAreExactInEverySpelling, 3) {
  constexpr Op kProducts[] = {Op::kMma, Op::kWmmaMma};
  int count = 0;
  for (const std::string& text : spellings(kProducts)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    ASSERT_TRUE(s) << text;
    if (!is_product(*s)) continue;
    for (const int arch : {80, 89, 90, 120}) {  // some came after sm_80
      if (arch >= 90 || plan_product(*s, arch)) check_product(rng, text, arch);
    }
    ASSERT_FALSE(::testing::Test::HasFatalFailure()) << text;
    ++count;
  }
  EXPECT_GE(count, 80);
}

// Shapes and types that hang together: one word at a time does not reach them.
LAW_ROUNDS(Matrix, SmallIntegersAreExactInEveryShape, 3) {
  const std::string mma = "mma.sync.aligned.", wmma = "wmma.mma.sync.aligned.";
  for (const char* form :
       {"m16n8k32.row.col.f32.e4m3.e5m2.f32", "m16n8k16.row.col.f16.e5m2.e4m3.f16",
        "m16n8k16.row.col.s32.u8.s8.s32", "m16n8k32.row.col.satfinite.s32.s8.u8.s32",
        "m16n8k32.row.col.s32.u4.u4.s32", "m16n8k64.row.col.s32.s4.s4.s32",
        "m16n8k128.row.col.s32.b1.b1.s32.and.popc", "m16n8k256.row.col.s32.b1.b1.s32.and.popc",
        "m8n8k4.col.row.f32.f16.f16.f32", "m16n8k16.row.col.f64.f64.f64.f64"}) {
    check_product(rng, mma + form, 90);
  }
  for (const char* layouts : {"row.row.", "row.col.", "col.row.", "col.col."}) {
    for (const char* shape : {"m16n16k16.", "m8n32k16.", "m32n8k16."}) {
      for (const char* types : {"f32.f32", "f16.f16", "f16.f32", "f32.f16", "s32.s8.s8.s32",
                                "s32.u8.u8.s32.satfinite", "f32.bf16.bf16.f32"})
        check_product(rng, wmma + layouts + shape + types, 80);
    }
    check_product(rng, wmma + layouts + "m16n16k8.f32.tf32.tf32.f32", 80);
    check_product(rng, wmma + layouts + "m8n8k4.f64.f64.f64.f64", 80);
  }
  check_product(rng, "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 80);
  check_product(rng, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 75);
}

}  // namespace
}  // namespace warpledger::exec
