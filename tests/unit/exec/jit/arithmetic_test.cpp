// Arithmetic of compiled code against numeric/: f16, bf16 and packed values, 64-bit division and
// upper products, dot products of bytes, over operands that meet at ties, subnormals, overflow and
// far apart.
#include <fmt/format.h>

#include <random>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"

namespace warpledger::exec {
namespace {

constexpr uint32_t kThreads = 1024, kBlocks = 4;

/// Random patterns of 16 bits, every third with a short significand: sums and products of such meet
/// in ties.
std::vector<uint32_t> operands_of(uint64_t seed) {
  constexpr uint16_t kSpecial[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x7bff, 0x7c00,
                                   0xfc00, 0x7e01, 0x7f7f, 0x7f80, 0xff80, 0x7fc1, 0x3c00, 0x3f80};
  std::mt19937_64 random(seed);
  const auto half = [&]() -> uint32_t {
    const uint64_t bits = random();
    if (bits % 16 == 0) return kSpecial[bits / 16 % std::size(kSpecial)];
    const uint32_t pattern = bits >> 16 & 0xffff;
    return bits % 3 == 0 ? pattern & 0xff70 : pattern;
  };
  std::vector<uint32_t> words(size_t{kThreads} * kBlocks * 8);
  for (uint32_t& word : words) word = half() << 16 | half();
  return words;
}

std::string kernel_for(const std::string& line) {
  return kernel_text(R"(
  .reg .b16 %h<8>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
  ld.param.u64 %rd0, [p0];
  ld.param.u64 %rd1, [p1];
  mov.u32 %r0, %tid.x;  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r0, %r1, 1024, %r0;
  mul.wide.u32 %rd2, %r0, 32;
  add.s64 %rd0, %rd0, %rd2;  add.s64 %rd1, %rd1, %rd2;
  ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd0];
  ld.global.v2.b32 {%r8, %r9}, [%rd0+16];
  mov.b64 %rd4, {%r4, %r5};  mov.b64 %rd5, {%r6, %r7};  mov.b64 %rd6, {%r8, %r9};
  cvt.u16.u32 %h4, %r4;  cvt.u16.u32 %h5, %r5;  cvt.u16.u32 %h6, %r6;
  mov.b32 %r3, 0;  mov.b64 %rd3, 0;  mov.b16 %h3, 0;
  )" + line + R"(
  st.global.b32 [%rd1], %r3;  st.global.b16 [%rd1+4], %h3;  st.global.b64 [%rd1+8], %rd3;
  ret;)",
                     2, "sm_100", "8.8");
}

class Arithmetic : public testing::TestWithParam<std::string> {};

TEST_P(Arithmetic, EqualsTheInterpreter) {
  if (!can_compile()) GTEST_SKIP() << "built without LLVM";
  TestMachine machine(kernel_for(GetParam()));
  const std::vector<uint32_t> words = operands_of(GetParam().size() * 7919);
  const uint64_t in = machine.put(words, "in"),
                 out = machine.put(std::vector<uint32_t>(words.size()), "out");
  const Comparison run = compare_engines(machine.image(),
                                         {.kernel = "k",
                                          .grid = {kBlocks, 1, 1},
                                          .block = {kThreads, 1, 1},
                                          .params = TestMachine::pack(in, out)},
                                         {}, 1);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.compiled);
  EXPECT_EQ(run.difference, "");
}

std::vector<std::string> lines() {
  std::vector<std::string> all = {
      "add.rn.f32x2 %rd3, %rd4, %rd5;",       "add.rn.ftz.f32x2 %rd3, %rd4, %rd5;",
      "sub.rn.f32x2 %rd3, %rd4, %rd5;",       "mul.rn.f32x2 %rd3, %rd4, %rd5;",
      "fma.rn.f32x2 %rd3, %rd4, %rd5, %rd6;", "fma.rn.ftz.f32x2 %rd3, %rd4, %rd5, %rd6;"};
  for (const std::string line :
       {"div.u64 %rd3, %rd4, %rd5;", "div.s64 %rd3, %rd4, %rd5;", "rem.u64 %rd3, %rd4, %rd5;",
        "rem.s64 %rd3, %rd4, %rd5;", "mul.hi.u64 %rd3, %rd4, %rd5;", "mul.hi.s64 %rd3, %rd4, %rd5;",
        "mad.hi.s64 %rd3, %rd4, %rd5, %rd6;", "shr.s64 %rd5, %rd5, 40; div.s64 %rd3, %rd4, %rd5;",
        "mov.b64 %rd5, -1; shr.s64 %rd4, %rd4, 60; shl.b64 %rd4, %rd4, 60; rem.s64 %rd3, %rd4, "
        "%rd5;",
        "mov.b64 %rd5, 0; div.s64 %rd3, %rd4, %rd5;", "mov.b64 %rd5, 0; rem.u64 %rd3, %rd4, %rd5;",
        "mov.b64 %rd5, -1; mov.b64 %rd4, 0x8000000000000000; div.s64 %rd3, %rd4, %rd5;",
        "dp4a.u32.u32 %r3, %r4, %r5, %r6;", "dp4a.s32.u32 %r3, %r4, %r5, %r6;",
        "dp4a.u32.s32 %r3, %r4, %r5, %r6;", "dp2a.lo.s32.s32 %r3, %r4, %r5, %r6;",
        "dp2a.hi.u32.s32 %r3, %r4, %r5, %r6;"})
    all.push_back(line);
  for (const std::string line :
       {"add.cc.u32 %r4, %r4, %r5; addc.cc.u32 %r5, %r6, %r7; addc.u32 %r3, %r8, %r9;",
        "sub.cc.u32 %r4, %r4, %r5; subc.cc.u32 %r5, %r6, %r7; subc.u32 %r3, %r8, %r9;",
        "add.cc.s64 %rd4, %rd4, %rd5; addc.s64 %rd3, %rd5, %rd6;",
        "sub.cc.u64 %rd4, %rd4, %rd5; subc.u64 %rd3, %rd5, %rd6;",
        "mad.lo.cc.u32 %r4, %r4, %r5, %r6; madc.hi.u32 %r3, %r7, %r8, %r9;",
        "mad.hi.cc.s32 %r4, %r4, %r5, %r6; madc.lo.cc.s32 %r3, %r7, %r8, %r9; addc.u32 %r3, 0, 0;",
        "mad.hi.cc.u64 %rd4, %rd4, %rd5, %rd6; madc.hi.u64 %rd3, %rd6, %rd5, %rd4;",
        "add.cc.u32 %r4, -1, 1; add.u32 %r5, %r5, 1; addc.u32 %r3, %r5, 5;",
        // Lanes that are off, or elsewhere, keep their carry.
        ".reg .pred %q0; setp.lt.u32 %q0, %r4, %r5; add.cc.u32 %r6, %r6, %r7; @%q0 sub.cc.u32 %r6, "
        "%r8, %r9; addc.u32 %r3, %r6, %r6;",
        ".reg .pred %q0; setp.lt.u32 %q0, %r4, %r5; add.cc.u32 %r6, %r6, %r7; @%q0 bra L1; "
        "sub.cc.u32 "
        "%r7, %r8, %r9; L1: addc.u32 %r3, %r6, %r7;"})
    all.push_back(line);
  for (const std::string op :
       {"add.u32", "add.s32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32", "exch.b32",
        "inc.u32", "dec.u32", "add.f32", "add.noftz.f16x2", "add.noftz.bf16x2"})
    for (const std::string& at :
         {"atom.global." + op + " %r3, [%rd1+16], ", "atom." + op + " %r3, [%rd1+16], ",
          "red.global." + op + " [%rd1+16], "})
      if (at[0] == 'a' || op != "exch.b32") all.push_back(at + "%r4;");
  for (const std::string line :
       {"atom.global.add.u64 %rd3, [%rd1+16], %rd4;", "atom.global.min.s64 %rd3, [%rd1+16], %rd4;",
        "atom.global.cas.b32 %r3, [%rd1+16], 0, %r5;", "red.global.add.f64 [%rd1+16], %rd4;",
        "atom.global.cas.b16 %h3, [%rd1+16], 0, %h5;", "atom.global.cas.b64 %rd3, [%rd1+16], 0, 7;",
        "red.global.add.u32 [%rd1+16], 3;", "red.global.add.f32 [%rd1+16], 0f3FC00000;",
        "atom.global.add.noftz.f16 %h3, [%rd1+16], %h4;",
        ".reg .pred %q0; setp.lt.u32 %q0, %r4, %r5; @%q0 atom.global.add.u32 %r3, [%rd1+16], %r6;"})
    all.push_back(line);
  for (const std::string op : {"min", "max", "min.NaN", "max.NaN", "max.ftz"})
    all.push_back(op + ".f32 %r3, %r4, %r5, %r6;");
  for (const std::string type : {"f16", "bf16"}) {
    for (const std::string op : {"add", "sub", "mul"}) {
      all.push_back(op + ".rn." + type + " %h3, %h4, %h5;");
      all.push_back(op + ".rn." + type + "x2 %r3, %r4, %r5;");
    }
    all.push_back("fma.rn." + type + " %h3, %h4, %h5, %h6;");
    all.push_back("fma.rn." + type + "x2 %r3, %r4, %r5, %r6;");
    all.push_back("neg." + type + " %h3, %h4;");
    all.push_back("abs." + type + "x2 %r3, %r4;");
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Lines, Arithmetic, testing::ValuesIn(lines()), [](const auto& one) {
  std::string name = std::to_string(one.index);
  for (const char c : one.param)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
});

}  // namespace
}  // namespace warpledger::exec
