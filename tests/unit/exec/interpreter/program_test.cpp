// Every spelling of what needs a small program around it: carries, moves, addresses, hints,
// barriers, asynchronous copies, control flow. The programs are in programs.h.
#include <fmt/core.h>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/interpreter/programs.h"

namespace warpledger::exec {
namespace {

std::string run(const Program& program, std::vector<uint32_t>& out, const std::string& extra = "") {
  const std::string text = fmt::format(
      ".version 9.1\n.target sm_100a\n.address_size 64\n.const .align 16 .b32 table[4] = {{11, 12, "
      "13, 14}};\n.func (.reg .b32 d) twice(.reg .b32 a) {{ add.u32 d, a, a; ret; }}\n{}\n"
      ".visible .entry k(.param .u64 p0)\n{{\n{}{}\nst.global.u32 [%rd2], %r31; ret;\n}}\n",
      extra, kProgramHead, program.body);
  TestMachine machine(text, "program.ptx");
  const uint64_t buffer = machine.put(std::vector<uint32_t>(256), "out");
  const std::string fault = machine.run(
      {.kernel = "k", .block = {program.threads, 1, 1}, .params = TestMachine::pack(buffer)});
  if (fault.empty()) out = machine.get<uint32_t>(buffer, 256);
  return fault;
}

void check(const std::string& text, const ptx::Spelling& s) {
  const auto program = program_of(text, s);
  ASSERT_TRUE(program) << "no program for " << text;
  std::vector<uint32_t> out;
  ASSERT_EQ(run(*program, out), "") << text << "\n" << program->body;
  for (uint32_t t = 0; t < program->threads; ++t)
    EXPECT_EQ(out[t], program->want(t)) << text << " thread " << t << "\n" << program->body;
}

TEST(Program, EverySpellingDoesWhatItSays) {
  int count = 0;
  for (const std::string& text : spellings(kProgramOps)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    ASSERT_TRUE(s) << text;
    if (s->op() == Op::kTrap) continue;  // below
    check(text, *s);
    ++count;
    ASSERT_FALSE(HasFailure()) << text;
  }
  EXPECT_GT(count, 150);
}

TEST(Program, EveryCarry) {
  for (const std::string& text : spellings(kPureOps)) {
    ptx::SpellingFault fault;
    const auto s = ptx::decode_spelling(text, fault);
    if (s->has(Modifier::kCc)) check(text, *s);
  }
}

TEST(Program, TrapEndsTheLaunch) {
  std::vector<uint32_t> out;
  const std::string fault = run({"trap;"}, out);
  EXPECT_NE(fault.find("[trap]"), std::string::npos) << fault;
  EXPECT_NE(fault.find("kernel 'k'"), std::string::npos) << fault;
}

// cp.async with fewer bytes at the source fills with zeros; a true predicate ignores the source.
TEST(Program, AsynchronousCopiesFillWithZeros) {
  const std::string head =
      "mov.u32 %r8, 9; st.shared.v4.u32 [tile], {%r8,%r8,%r8,%r8}; mov.u32 %r9, 0x05060708; "
      "st.global.u32 [%rd0], %r9; setp.eq.u32 %p0, %r0, %r0;\n";
  const std::string tail = "cp.async.wait_all; ld.shared.u32 %r31, [tile];";
  for (const auto& [copy, want] : {std::pair{"[tile], [%rd0], 4, 2", 0x0708u},
                                   {"[tile], [%rd0], 4, 0", 0u},
                                   {"[tile], [%rd0], 8, 4", 0x05060708u},
                                   {"[tile], [%rd0], 4, %p0", 0u},
                                   {"[tile], [%rd0], 4, !%p0", 0x05060708u}}) {
    std::vector<uint32_t> out;
    ASSERT_EQ(run({head + "cp.async.ca.shared.global " + copy + "; " + tail}, out), "") << copy;
    EXPECT_EQ(out[0], want) << copy;
  }
}

// Video: selected parts of operands, merged destinations, negated products. By hand.
TEST(Program, VideoSelectors) {
  const std::string head =
      "mov.u32 %r10, 0x81020384; mov.u32 %r11, 0x10207030; mov.u32 %r12, "
      "0xaabbccdd;\n";
  for (const auto& [instruction, want] :
       {std::pair{"vadd.s32.s32.s32 %r31, %r10.b3, %r11.b0;", 0xffffffb1u},  // -127 + 48
        {"vadd.s32.u32.u32 %r31, %r10.h1, %r11.h0;", 0x8102u + 0x7030u},
        {"vadd.u32.u32.u32 %r31.b1, %r10.b0, %r11.b0, %r12;", 0xaabbb4ddu},  // 0x84 + 0x30
        {"vadd.u32.u32.u32.sat %r31.b3, %r10.b0, %r11.h0, %r12;", 0xffbbccddu},
        {"vsub.s32.u32.u32.sat %r31.h0, %r11.b0, %r10.h1, %r12;", 0xaabb8000u},  // 0x30 - 0x8102
        {"vset.u32.u32.gt %r31.h1, %r10.b0, %r11.b0, %r12;", 0x0001ccddu},
        {"vmad.s32.s32.s32 %r31, -%r10.b1, %r11.b0, %r12;", 0xaabbccddu - 144u},  // 3 * 48
        {"vmad.s32.s32.s32 %r31, %r10.b1, %r11.b0, -%r12;", 144u - 0xaabbccddu},
        {"vmad.u32.u32.u32.sat %r31, %r10.b1, %r11.b0, %r12;", 0xaabbccddu + 144u},
        {"vadd2.u32.u32.u32 %r31, %r10.h01, %r11.h22, %r12;", 0x73b4f132u},
        {"vadd2.u32.u32.u32 %r31.h1, %r10, %r11, %r12;", 0x9122ccddu},
        {"vadd2.u32.u32.u32.add %r31.h0, %r10, %r11, %r12;", 0xaabbccddu + 0x73b4u},
        {"vmax4.u32.u32.u32 %r31.b20, %r10.b3210, %r11.b7654, %r12;", 0xaa20cc84u},
        {"vadd4.u32.u32.u32 %r31, %r10.b0000, %r11.b4567, %r12;", 0xb4f4a494u}}) {
    std::vector<uint32_t> out;
    ASSERT_EQ(run({head + instruction}, out), "") << instruction;
    EXPECT_EQ(out[0], want) << instruction << std::hex << " gave " << out[0];
  }
}

// What is of later tiers, or was never run, is refused by its name.
TEST(Program, WhatIsNotRunIsRefusedByName) {
  for (const auto& [instruction, name] :
       {std::pair{"cvt.rs.bf16x2.f32 %r31, %f0, %f1, %r1;", "cvt.rs.bf16x2.f32"},
        {"cvt.rn.satfinite.s2f6x2.f32 %h0, %f0, %f1;", "cvt.rn.satfinite.s2f6x2.f32"},
        {"cvt.rn.scaled::n2::ue8m0.bf16x2.e4m3x2 %r31, %h0, %h1;", "scaled::n2::ue8m0"},
        {"alloca.u32 %r31, %r1;", "alloca.u32"}}) {
    std::vector<uint32_t> out;
    const std::string fault = run({instruction}, out);
    EXPECT_NE(fault.find(name), std::string::npos) << instruction << "\n" << fault;
    EXPECT_NE(fault.find("[unsupported-opcode]"), std::string::npos) << fault;
  }
}

// redux of f32 (sm_100a): NaN is left out unless .NaN asks for it.
TEST(Program, FloatReductions) {
  const std::string head =
      "cvt.rn.f32.u32 %f0, %r0; sub.f32 %f0, %f0, 0f41200000; setp.eq.u32 %p0, %r0, 3; selp.f32 "
      "%f0, "
      "0f7fffffff, %f0, %p0;\n";
  for (const auto& [operation, want] : {std::pair{"redux.sync.min.f32", 0xc1200000u},  // -10
                                        {"redux.sync.max.f32", 0x41a80000u},           // 21
                                        {"redux.sync.min.abs.f32", 0u},
                                        {"redux.sync.max.abs.f32", 0x41a80000u},
                                        {"redux.sync.max.NaN.f32", 0x7fffffffu}}) {
    std::vector<uint32_t> out;
    ASSERT_EQ(run({head + operation + " %f1, %f0, 0xffffffff; mov.b32 %r31, %f1;", 32}, out), "");
    EXPECT_EQ(out[7], want) << operation;
  }
}

}  // namespace
}  // namespace warpledger::exec
