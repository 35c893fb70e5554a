// Matrix instructions and narrow conversions of the compiled engine, on random bits.
#include <random>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {
namespace {

// in: words of any bits; every third close to where halves round, overflow or become subnormal.
std::vector<uint32_t> any_words(size_t count) {
  std::mt19937_64 random(8);
  constexpr uint32_t kEdges[] = {0x477ff000, 0x477fefff, 0x38800000, 0x387fe000, 0x33000000,
                                 0x33000001, 0x7f800000, 0x7f800001, 0x80000000, 0x00000001,
                                 0x7f7fffff, 0x3f801000, 0x3f803000, 0x007fffff, 0xff7f8000};
  std::vector<uint32_t> words(count);
  for (size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint32_t>(random());
    words[i] = i % 3 == 0 ? kEdges[bits % std::size(kEdges)] ^ (bits & 0x80000000) : bits;
  }
  return words;
}

constexpr const char* kThread = R"(
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<48>; .reg .f32 %f<16>; .reg .b64 %rd<16>;
  .shared .align 16 .b8 tile[2048];
  ld.param.u64 %rd0, [p0];
  ld.param.u64 %rd1, [p1];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd2, %r0, 64;
  add.s64 %rd0, %rd0, %rd2;
  add.s64 %rd1, %rd1, %rd2;
)";

void expect_same(const std::string& body, uint32_t threads) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  TestMachine machine(kernel_text(std::string(kThread) + body, 2));
  const size_t words = threads * 16;
  const uint64_t in = machine.put(any_words(words), "in"),
                 out = machine.put(std::vector<uint32_t>(words), "out");
  const Comparison run = compare_engines(
      machine.image(),
      {.kernel = "k", .block = {threads, 1, 1}, .params = TestMachine::pack(in, out)}, {}, 1);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.difference, "");
}

TEST(JitTensor, NarrowsLikeTheInterpreter) {
  expect_same(R"(
  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd0];
  cvt.rn.f16.f32 %h0, %f0;  cvt.rn.bf16.f32 %h1, %f1;
  cvt.rn.f16x2.f32 %r1, %f0, %f2;  cvt.rn.bf16x2.f32 %r2, %f3, %f1;
  st.global.v2.b16 [%rd1], {%h0, %h1};
  st.global.v2.b32 [%rd1+8], {%r1, %r2};
  ret;)",
              256);
}

TEST(JitTensor, DividesApproximatelyLikeTheInterpreter) {
  expect_same(R"(
  ld.global.v2.f32 {%f0, %f1}, [%rd0];
  div.full.f32 %f2, %f0, %f1;       div.full.ftz.f32 %f3, %f0, %f1;
  rcp.approx.ftz.f32 %f4, %f0;      sqrt.approx.f32 %f5, %f1;
  rcp.approx.f32 %f6, %f1;          sqrt.approx.ftz.f32 %f7, %f0;
  st.global.v4.f32 [%rd1], {%f2, %f3, %f4, %f5};
  st.global.v2.f32 [%rd1+16], {%f6, %f7};
  ret;)",
              256);
}

TEST(JitTensor, LoadsMatricesAndMultipliesLikeTheInterpreter) {
  expect_same(R"(
  mov.u32 %r1, tile;
  shl.b32 %r2, %r0, 6;
  add.u32 %r2, %r1, %r2;
  ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd0];
  and.b32 %r8, %r4, 0x3fff3fff;  and.b32 %r9, %r5, 0xbfffbfff;
  st.shared.v4.b32 [%r2], {%r8, %r9, %r6, %r7};
  bar.sync 0;
  shl.b32 %r3, %r0, 4;
  add.u32 %r3, %r1, %r3;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r3];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r14, %r15}, [%r3+512];
  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r16}, [%r3+1024];
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3},
      {%r10, %r11, %r12, %r13}, {%r14, %r15}, {%r4, %r5, %r8, %r9};
  mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r20, %r21},
      {%r8, %r8, %r9, %r8}, {%r14, %r15}, {%r8, %r9};
  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f4, %f5, %f6, %f7},
      {%r8, %r9}, {%r8}, {%r10, %r11, %r12, %r13};
  st.global.v4.b32 [%rd1], {%r10, %r11, %r12, %r13};
  st.global.v4.b32 [%rd1+16], {%r14, %r15, %r16, %r20};
  st.global.v4.f32 [%rd1+32], {%f0, %f1, %f2, %f3};
  st.global.v4.f32 [%rd1+48], {%f4, %f5, %f6, %f7};
  ret;)",
              32);
}

TEST(JitTensor, NamesAMatrixRowThatLiesOutside) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  TestMachine machine(kernel_text(std::string(kThread) + R"(
  mov.u32 %r1, tile;
  mad.lo.u32 %r2, %r0, 256, %r1;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r2];
  st.global.b32 [%rd1], %r10;
  ret;)",
                                  2));
  const uint64_t out = machine.put(std::vector<uint32_t>(512), "out");
  const Comparison run = compare_engines(
      machine.image(), {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(out, out)},
      {}, 1);
  EXPECT_NE(run.error.find("out-of-bounds"), std::string::npos) << run.error;
  EXPECT_EQ(run.difference, "");
}

}  // namespace
}  // namespace warpledger::exec
