// mma and wmma in all shapes and types: products of small integers, exact in every type.
#include "warpledger/exec/semantics/matrix.h"

#include <bit>

#include "tests/exec/machine.h"
#include "tests/support/law.h"

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
    ASSERT_EQ(d[at], encoded(plan->d, want)) << text << " at " << row << ", " << col;
  }
}

LAW_ROUNDS(Matrix, SmallIntegersAreExactInEveryShape, 5) {
  const std::string mma = "mma.sync.aligned.", wmma = "wmma.mma.sync.aligned.";
  for (const char* form : {"m8n8k4.row.col.f16.f16.f16.f16",
                           "m8n8k4.col.row.f32.f16.f16.f32",
                           "m16n8k8.row.col.f32.f16.f16.f32",
                           "m16n8k8.row.col.f16.f16.f16.f16",
                           "m16n8k16.row.col.f32.f16.f16.f32",
                           "m16n8k16.row.col.f16.f16.f16.f16",
                           "m16n8k8.row.col.f32.bf16.bf16.f32",
                           "m16n8k16.row.col.f32.bf16.bf16.f32",
                           "m16n8k4.row.col.f32.tf32.tf32.f32",
                           "m16n8k8.row.col.f32.tf32.tf32.f32",
                           "m16n8k32.row.col.f32.e4m3.e5m2.f32",
                           "m16n8k16.row.col.f16.e5m2.e4m3.f16",
                           "m8n8k4.row.col.f64.f64.f64.f64",
                           "m16n8k4.row.col.f64.f64.f64.f64",
                           "m16n8k8.row.col.f64.f64.f64.f64",
                           "m16n8k16.row.col.f64.f64.f64.f64",
                           "m8n8k16.row.col.s32.s8.s8.s32",
                           "m16n8k16.row.col.s32.u8.s8.s32",
                           "m16n8k32.row.col.satfinite.s32.s8.u8.s32",
                           "m8n8k32.row.col.s32.s4.u4.s32",
                           "m16n8k32.row.col.s32.u4.u4.s32",
                           "m16n8k64.row.col.s32.s4.s4.s32",
                           "m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
                           "m16n8k128.row.col.s32.b1.b1.s32.and.popc",
                           "m16n8k256.row.col.s32.b1.b1.s32.xor.popc"}) {
    check_product(rng, mma + form, 90);
  }
  for (const char* form :
       {"row.col.m16n16k16.f32.f32", "col.row.m8n32k16.f16.f16", "row.row.m32n8k16.f16.f32",
        "row.col.m16n16k16.s32.s8.s8.s32", "row.row.m8n32k16.s32.u8.u8.s32",
        "col.col.m32n8k16.s32.s8.s8.s32", "row.col.m16n16k16.f32.bf16.bf16.f32",
        "row.col.m16n16k8.f32.tf32.tf32.f32", "row.col.m8n8k4.f64.f64.f64.f64"}) {
    check_product(rng, wmma + form, 80);
  }
  check_product(rng, "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 80);
  check_product(rng, "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 80);
  check_product(rng, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", 75);
}

// By hand: matrix m of ldmatrix holds 100 m + 8 row + column; lane l gets (l / 4, 2 (l % 4) + h),
// or turned.
constexpr const char* kTiles = R"(
  .reg .b16 %h<4>; .reg .b32 %r<32>; .reg .b64 %rd<8>;
  .shared .align 16 .b8 tile[512];
  ld.param.u64 %rd0, [p0];
  mov.u32 %r0, %laneid;
  mov.u32 %r1, tile;
  shr.u32 %r2, %r0, 3; and.b32 %r3, %r0, 7;
  mul.lo.u32 %r4, %r2, 100; mad.lo.u32 %r4, %r3, 8, %r4;
  shl.b32 %r5, %r0, 4; add.u32 %r5, %r5, %r1;
  mov.u32 %r6, 0;
FILL:
  cvt.u16.u32 %h0, %r4; st.shared.u16 [%r5], %h0;
  add.u32 %r4, %r4, 1; add.u32 %r5, %r5, 2; add.u32 %r6, %r6, 1;
  setp.lt.u32 %p0, %r6, 8;
  @%p0 bra FILL;
  bar.warp.sync 0xffffffff;
  shl.b32 %r7, %r0, 4; add.u32 %r7, %r7, %r1;
  mul.wide.u32 %rd1, %r0, 16; add.s64 %rd2, %rd0, %rd1;
)";

std::vector<uint32_t> run_tiles(const std::string& rest, size_t words) {
  TestMachine machine(
      kernel_text(".reg .pred %p<2>;\n" + std::string(kTiles) + rest, 1, "sm_90", "8.6"));
  const uint64_t out = machine.put(std::vector<uint32_t>(words));
  EXPECT_EQ(machine.run({.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out)}),
            "");
  return machine.get<uint32_t>(out, words);
}

TEST(Matrix, LdmatrixGivesRowsToQuads) {
  const auto out = run_tiles(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8,%r9,%r10,%r11}, [%r7]; st.global.v4.b32 "
      "[%rd2], {%r8,%r9,%r10,%r11}; ret;",
      128);
  for (uint32_t l = 0; l < 32; ++l) {
    for (uint32_t m = 0; m < 4; ++m) {
      const uint32_t low = 100 * m + 8 * (l / 4) + 2 * (l % 4);
      EXPECT_EQ(out[l * 4 + m], low | (low + 1) << 16);
    }
  }
}
TEST(Matrix, LdmatrixTransposes) {
  const auto out = run_tiles(
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8,%r9}, [%r7]; st.global.v2.b32 [%rd2], "
      "{%r8,%r9}; ret;",
      128);
  for (uint32_t l = 0; l < 32; ++l) {
    const uint32_t low = 8 * (2 * (l % 4)) + l / 4;
    EXPECT_EQ(out[l * 4], low | (low + 8) << 16);
  }
}
TEST(Matrix, StmatrixUndoesLdmatrix) {
  const auto out = run_tiles(R"(ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8,%r9,%r10,%r11}, [%r7];
    bar.warp.sync 0xffffffff;
    stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r7], {%r8,%r9,%r10,%r11};
    bar.warp.sync 0xffffffff;
    ld.shared.v4.b32 {%r8,%r9,%r10,%r11}, [%r7];
    st.global.v4.b32 [%rd2], {%r8,%r9,%r10,%r11}; ret;)",
                             128);
  for (uint32_t l = 0; l < 32; ++l) {  // row l % 8 of matrix l / 8, turned: columns of the first
    for (uint32_t w = 0; w < 4; ++w) {
      const uint32_t low = 100 * (l / 8) + 8 * (2 * w) + l % 8;
      EXPECT_EQ(out[l * 4 + w], low | (low + 8) << 16);
    }
  }
}
TEST(Matrix, MovmatrixTransposesRegisters) {
  const auto out = run_tiles(R"(ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r7];
    movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r8;
    st.global.b32 [%rd2], %r9; ret;)",
                             128);
  for (uint32_t l = 0; l < 32; ++l) {
    const uint32_t low = 8 * (2 * (l % 4)) + l / 4;
    EXPECT_EQ(out[l * 4], low | (low + 8) << 16);
  }
}

}  // namespace
}  // namespace warpledger::exec
