#include "warpledger/ptx/parser.h"

#include <gtest/gtest.h>

#include "warpledger/ptx/summary.h"

namespace warpledger::ptx {
namespace {

constexpr std::string_view kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

// The body of a kernel with registers of every kind.
std::string kernel(std::string_view body, std::string_view head = kHead) {
  return std::string(head) +
         ".visible .entry k(.param .b64 p)\n{\n.reg .pred %p<4>;\n.reg .b16 %h<4>;\n.reg .b32 "
         "%r<8>;\n"
         ".reg .f32 %f<4>;\n.reg .b64 %d<4>;\n" +
         std::string(body) + "\n}\n";
}

Module parsed(const std::string& text) {
  auto module = parse("k.ptx", text);
  EXPECT_TRUE(module.ok()) << to_text(module.error());
  return module.ok() ? *std::move(module) : Module{};
}

// "line:column code: message" of the first fault.
std::string fault(const std::string& text) {
  const auto module = parse("k.ptx", text);
  if (module.ok()) return "accepted";
  const Diagnostic& d = module.error();
  return std::to_string(d.at->line) + ":" + std::to_string(d.at->column) + " " + d.code + ": " +
         d.message;
}
std::string body_fault(std::string_view body) { return fault(kernel(body)); }

TEST(Parser, NamesBecomeIndices) {
  const Module module =
      parsed(kernel("ld.param.b64 %d1, [p];\n@!%p2 bra done;\nadd.s32 %r7, %r1, -3;\ndone: ret;"));
  const Function& k = module.functions.at(0);
  ASSERT_EQ(k.instructions.size(), 4u);
  const auto ld = k.operands_of(k.instructions[0]);
  EXPECT_EQ(k.register_name(ld[0].index), "%d1");
  EXPECT_EQ(ld[1].kind, OperandKind::kAddressOfVariable);
  EXPECT_EQ(module.variables[ld[1].index].name, "p");
  EXPECT_EQ(k.register_name(k.instructions[1].guard), "%p2");
  EXPECT_TRUE(k.instructions[1].guard_negated);
  EXPECT_EQ(k.labels[k.operands_of(k.instructions[1])[0].index].instruction, 3u);
  EXPECT_EQ(static_cast<int64_t>(k.operands_of(k.instructions[2])[2].value), -3);
}

TEST(Parser, OneSpellingServesAllItsInstructions) {
  const Module module = parsed(kernel("add.s32 %r1, %r1, 1;\nadd.s32 %r2, %r2, 2;\nret;"));
  EXPECT_EQ(module.spellings.size(), 2u);
  EXPECT_EQ(module.functions[0].instructions[0].spelling,
            module.functions[0].instructions[1].spelling);
}

TEST(Parser, InnerBlocksHideOuterNames) {
  const Module module =
      parsed(kernel("mov.u32 %r1, 1;\n{\n.reg .b32 %r1;\nmov.u32 %r1, 2;\n{ bra L; L: ret; "
                    "}\n}\nL: mov.u32 %r1, 3;\nbra L;"));
  const Function& k = module.functions[0];
  const auto written = [&](size_t i) { return k.operands_of(k.instructions[i])[0].index; };
  EXPECT_NE(written(0), written(1));
  EXPECT_EQ(written(0), written(4));
  EXPECT_EQ(k.labels[written(2)].instruction, 3u);
  EXPECT_EQ(k.labels[written(5)].instruction, 4u);
}

TEST(Parser, ADefinitionReplacesItsDeclaration) {
  const Module module =
      parsed(std::string(kHead) +
             ".func f(.param .b32 a);\n.func g() { .param .b32 x; call f, (x); ret; }\n"
             ".func f(.param .b32 a) { ret; }\n");
  EXPECT_EQ(module.functions[0].definition, 2u);
  EXPECT_EQ(module.find("f"), &module.functions[2]);
}

TEST(Parser, LocationsReachInstructions) {
  const Module module =
      parsed(std::string(kHead) + ".func f() { ret; .loc 1 7 2\n ret; }\n.file 1 \"a.cu\"\n");
  const Function& f = module.functions[0];
  EXPECT_EQ(f.location_of(f.instructions[0]), nullptr);
  EXPECT_EQ(f.location_of(f.instructions[1])->at.line, 7u);
  EXPECT_EQ(module.file_name(1), "a.cu");
}

TEST(Parser, TakesTheFirstLocationOfInlineAssembly) {
  const Module m = parsed(std::string(kHead) + R"(.func f() {
    // begin inline asm
    .loc 1 7 2
    ret;
    .loc 1 8 2
    ret;
    // end inline asm
    .loc 1 9 2
    ret;
    // begin inline asm
    .loc 1 4 2
    ret;
    // end inline asm
}
.file 1 "a.py"
)");
  const Function& f = m.functions[0];
  std::vector<uint32_t> lines;
  for (const Instruction& i : f.instructions) lines.push_back(f.location_of(i)->at.line);
  EXPECT_EQ(lines, (std::vector<uint32_t>{7, 7, 9, 4}));
}

TEST(Parser, CallsHaveFourOperands) {
  const Module module = parsed(std::string(kHead) +
                               ".func f() { ret; }\n.func g() { call f; call.uni f, (); ret; }\n");
  for (size_t i = 0; i < 2; ++i) {
    const Function& g = module.functions[1];
    EXPECT_EQ(g.operands_of(g.instructions[i]).size(), 4u);
  }
}

TEST(Parser, SizesFollowTheDeclaration) {
  const Module module = parsed(
      std::string(kHead) +
      ".shared .align 16 .b8 a[100];\n.global .v4 .f32 b[2][3];\n.extern .shared .b32 c[];\n"
      ".visible .entry k(.param .b8 x, .param .b64 y, .param .align 8 .b8 z[12]) { ret; }\n");
  EXPECT_EQ(module.variables[0].bytes(), 100u);
  EXPECT_EQ(module.variables[1].bytes(), 96u);
  EXPECT_EQ(module.variables[1].alignment(), 16u);
  EXPECT_TRUE(module.variables[2].is_unsized);
  EXPECT_EQ(parameter_bytes(module, module.functions[0]), 28u);
}

TEST(Parser, FaultsNameTheirPlace) {
  EXPECT_EQ(body_fault("add.s33 %r1, %r2, 3;"),
            "11:5 unknown-modifier: 'add' does not take '.s33' here");
  EXPECT_EQ(body_fault("frobnicate %r1;"), "11:1 unknown-opcode: unknown opcode 'frobnicate'");
  EXPECT_EQ(body_fault("bra nowhere;"), "11:5 unknown-name: unknown name 'nowhere'");
  EXPECT_EQ(body_fault("add.s32 %r1, %r9, 3;"),
            "11:14 operand-kind: 'add.s32' takes a register or a constant here, not '%r9'");
  EXPECT_EQ(body_fault("add.s32 %r1, %r2;"),
            "11:1 operand-count: 'add.s32' takes 3 operands, not 2");
  EXPECT_EQ(body_fault("add.f32 %f1, %d1, %f2;"),
            "11:14 operand-type: '%d1' is .b64, 'add.f32' takes .f32 here");
  EXPECT_EQ(body_fault("add.s32 %f1, %r1, %r2;"),
            "11:9 operand-type: '%f1' is .f32, 'add.s32' takes .s32 here");
  EXPECT_EQ(body_fault("mov.u32 5, %r1;"),
            "11:9 operand-kind: 'mov.u32' takes a register here, not '5'");
  EXPECT_EQ(body_fault("@%r1 ret;"), "11:2 not-a-predicate: '%r1' is not a predicate register");
  EXPECT_EQ(body_fault("ld.global.v2.b32 {%r1}, [%d1];"),
            "11:18 operand-kind: 'ld.global.v2.b32' takes 2 values here, not '{%r1}'");
  EXPECT_EQ(body_fault("ret"), "12:1 syntax: expected ';', found '}'");
  EXPECT_EQ(body_fault("add.s32 %r1, ;"), "11:14 syntax: expected an operand, found ';'");
  EXPECT_EQ(body_fault("add.s32 %r1 %r2, 1;"), "11:13 syntax: expected ',' or ';', found '%'");
  EXPECT_EQ(body_fault(".reg .b32 %r<5>;"), "11:11 redeclared-name: '%r' is declared twice");
  EXPECT_EQ(fault(".version 8.0\n.frob 3\n"), "2:1 unknown-directive: unknown directive '.frob'");
  EXPECT_EQ(fault(".target sm_80\n"), "1:1 missing-version: a module begins with .version");
}

TEST(Parser, NewerFeaturesAskForNewerModules) {
  EXPECT_EQ(body_fault("mbarrier.try_wait.parity.shared.b64 %p1, [%d1], %r1;"),
            "11:1 needs-newer-target: 'mbarrier.try_wait.parity.shared.b64' needs sm_90, this "
            "module is for sm_80");
  EXPECT_EQ(fault(kernel("cp.async.wait_all;", ".version 6.5\n.target sm_80\n")),
            "10:1 needs-newer-ptx: 'cp.async.wait_all' needs PTX 7.0, this module is 6.5");
  EXPECT_EQ(
      fault(kernel("wgmma.fence.sync.aligned;", ".version 8.0\n.target sm_90\n.address_size 64\n")),
      "11:1 needs-newer-target: 'wgmma.fence.sync.aligned' needs sm_90a, this module is for sm_90");
}

TEST(Parser, TileKernelsAreKnown) {
  const auto module_of = [](const std::string& language) {
    return parsed(std::string(kHead) + ".entry k()\n.reqntid 128\n" + language + "{\nret;\n}\n");
  };
  EXPECT_TRUE(module_of(".language 7\n").functions[0].signature.is_tile);
  EXPECT_FALSE(module_of(".language 1\n").functions[0].signature.is_tile);
  EXPECT_FALSE(module_of("").functions[0].signature.is_tile);
}

TEST(Parser, HiddenParametersAreRefused) {
  EXPECT_EQ(fault(std::string(kHead) +
                  ".entry k(.param .u64 p,\n.hidden .param .align 64 .b8 q[128])\n{\nret;\n}\n"),
            "5:1 hidden-parameter: hidden parameters are not supported: NVIDIA's driver fills them "
            "in by rules that are not published");
}

TEST(Parser, FaultsOfOperandsAreCollected) {
  const auto module = parse("k.ptx", kernel("add.s32 %r1, %d1, 3;\nadd.s32 %r1, %f1, 3;\nret;"));
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.error().also.size(), 1u);
}

TEST(Parser, WiderRegistersTakeNarrowLoads) {
  EXPECT_EQ(
      body_fault("ld.global.u8 %r1, [%d1];\nst.global.b8 [%d1], %r1;\ncvt.u16.u8 %h1, %r1;\nret;"),
      "accepted");
  EXPECT_EQ(body_fault("ld.global.u64 %r1, [%d1];"),
            "11:15 operand-type: '%r1' is .b32, 'ld.global.u64' takes .u64 here");
}

}  // namespace
}  // namespace warpledger::ptx
