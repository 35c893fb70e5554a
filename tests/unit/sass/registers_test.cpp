#include <gtest/gtest.h>

#include <set>

#include "tests/support/law.h"
#include "warpledger/sass/registers/live_code.h"
#include "warpledger/sass/witness/blocks.h"

namespace warpledger::sass {
namespace {

using ::warpledger::testing::Rng;

std::string names(const std::vector<Register>& registers) {
  std::string text;
  for (const Register& one : registers) text += (text.empty() ? "" : " ") + to_text(one);
  return text;
}

std::string use_of(const std::string& sass) {
  const auto use = registers_of(read_instruction(sass));
  return use ? names(use->writes) + " <- " + names(use->reads) : "unknown";
}

KernelWitness kernel_of(const std::vector<std::string>& lines,
                        const std::map<size_t, size_t>& branches = {}) {
  KernelWitness kernel{.name = "k", .is_entry = true};
  for (size_t i = 0; i < lines.size(); ++i) {
    Instruction one = read_instruction(lines[i]);
    one.address = 16 * i;
    const auto to = branches.find(i);
    if (to != branches.end()) one.target = 16 * to->second;
    kernel.code.push_back(std::move(one));
  }
  kernel.functions = {{.name = "k", .end = static_cast<uint32_t>(lines.size()), .is_entry = true}};
  kernel.blocks = build_blocks(kernel.code, kernel.functions, {});
  return kernel;
}

TEST(Registers, ResultsAndSourcesHaveTheirWidths) {
  EXPECT_EQ(use_of("LDG.E.128 R4, [R2.64+0x10]"), "R4 R5 R6 R7 <- R2 R3");
  EXPECT_EQ(use_of("LDG.E R4, desc[UR4][R2.64]"), "R4 <- R2 R3 UR4 UR5");
  EXPECT_EQ(use_of("LDG.E R4, [R2.U32+UR6]"), "R4 <- R2 UR6 UR7");
  EXPECT_EQ(use_of("STG.E.64 [R2.64], R8"), " <- R2 R3 R8 R9");
  EXPECT_EQ(use_of("STS.128 [R3], R8"), " <- R3 R8 R9 R10 R11");
  EXPECT_EQ(use_of("IMAD.WIDE R2, R6, R7, R10"), "R2 R3 <- R6 R7 R10 R11");
  EXPECT_EQ(use_of("DFMA R2, R4, R6, -R8"), "R2 R3 <- R4 R5 R6 R7 R8 R9");
  EXPECT_EQ(use_of("F2F.F64.F32 R2, R4"), "R2 R3 <- R4");
  EXPECT_EQ(use_of("F2F.F32.F64 R2, R4"), "R2 <- R4 R5");
  EXPECT_EQ(use_of("HMMA.16816.F32 R4, R8, R12, R4"),
            "R4 R5 R6 R7 <- R4 R5 R6 R7 R8 R9 R10 R11 R12 R13");
  EXPECT_EQ(use_of("LDGSTS.E.BYPASS.128 [R3], [R6.64]"), " <- R3 R6 R7");
  EXPECT_EQ(use_of("LDGSTS.E.BYPASS.128 [R3][R6.64]"), " <- R3 R6 R7");
}

TEST(Registers, PredicatesBeforeTheSourcesAreResults) {
  EXPECT_EQ(use_of("ISETP.GE.AND P1, PT, R0, 0x1, P2"), "P1 <- R0 P2");
  EXPECT_EQ(use_of("IADD3 R18, P2, R18, 0x40, RZ"), "R18 P2 <- R18");
  EXPECT_EQ(use_of("IADD3.X R19, RZ, R19, RZ, P2, !PT"), "R19 <- R19 P2");
  EXPECT_EQ(use_of("LOP3.LUT P0, RZ, R3, 0x1, RZ, 0xc0, !PT"), "P0 <- R3");
  EXPECT_EQ(use_of("SHFL.IDX PT, R5, R2, RZ, 0x1f"), "R5 <- R2");
  EXPECT_EQ(use_of("@!P3 SEL R0, R1, R2, P0"), "R0 <- R1 R2 P0 P3");
  EXPECT_EQ(use_of("P2R R0, PR, RZ, 0x5"), "R0 <- P0 P2");
}

TEST(Registers, AnOpcodeThatIsNotKnownIsNotGuessed) {
  EXPECT_EQ(use_of("TEX.SCR.LL R4, R6, R4, R2, 0x0, 2D, 0xf"), "unknown");
  const LiveCode live = live_code(kernel_of({"NEVERHEARD R0, R1", "EXIT"}));
  EXPECT_TRUE(live.registers.empty());
  EXPECT_EQ(live.unknown, "the operands of NEVERHEARD are not known");
}

// Worked by hand: i of R0 counts down from 4, R2 sums it; R5 is written and never read.
TEST(Liveness, OfALoopWorkedByHand) {
  const KernelWitness kernel = kernel_of(
      {"MOV R0, 0x4", "MOV R2, RZ", "IADD3 R2, R2, R0, RZ", "IADD3 R0, R0, -0x1, RZ", "MOV R5, R0",
       "ISETP.NE.AND P0, PT, R0, RZ, PT", "@P0 BRA `(.L)", "STS [RZ], R2", "EXIT"},
      {{6, 2}});
  const LiveCode live = live_code(kernel);
  std::vector<uint32_t> general, predicates;
  for (const LiveRegisters& one : live.registers) {
    general.push_back(one.general);
    predicates.push_back(one.predicates);
  }
  // R1, the stack pointer, is alive throughout.
  EXPECT_EQ(general, (std::vector<uint32_t>{2, 3, 3, 3, 4, 3, 3, 2, 1}));
  EXPECT_EQ(predicates, (std::vector<uint32_t>{0, 0, 0, 0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(live.producers[2], (std::vector<Dependency>{{0, {RegisterFile::kGeneral, 0}},
                                                        {1, {RegisterFile::kGeneral, 2}},
                                                        {2, {RegisterFile::kGeneral, 2}},
                                                        {3, {RegisterFile::kGeneral, 0}}}));
}

TEST(Liveness, AGuardedWriteKeepsTheValueBefore) {
  const LiveCode live =
      live_code(kernel_of({"MOV R0, 0x1", "@P0 MOV R0, 0x2", "STS [RZ], R0", "EXIT"}));
  EXPECT_EQ(live.producers[2], (std::vector<Dependency>{{0, {RegisterFile::kGeneral, 0}},
                                                        {1, {RegisterFile::kGeneral, 0}}}));
  EXPECT_EQ(live.registers[0].predicates, 1U);  // P0 is read below and written nowhere
}

TEST(Scoreboards, AWaitIsForWhoTookItSinceTheLastWait) {
  KernelWitness kernel = kernel_of({"LDG.E R2, [R4.64]", "LDG.E R3, [R6.64]", "FADD R2, R2, R3",
                                    "LDG.E R3, [R6.64]", "FADD R2, R2, R3", "EXIT"});
  const auto control = [&](size_t i, uint8_t sets, uint8_t waits) {
    kernel.code[i].control = Control{.sets = sets, .waits = waits};
  };
  control(0, 0, 0);
  control(1, 0, 0);
  control(2, 7, 1);
  control(3, 0, 0);
  control(4, 7, 1);
  const LiveCode live = live_code(kernel);
  EXPECT_EQ(live.awaited[2], (std::vector<Awaited>{{0, 0}, {0, 1}}));
  EXPECT_EQ(live.awaited[4], (std::vector<Awaited>{{0, 3}}));
}

/// Random code: adds of few registers, some guarded, with branches.
KernelWitness any_kernel(Rng& rng) {
  const auto size = static_cast<size_t>(rng.between(1, 3 + rng.size() / 4));
  std::vector<std::string> lines;
  std::map<size_t, size_t> branches;
  const auto any = [&] { return "R" + std::to_string(rng.between(0, 5)); };
  for (size_t i = 0; i < size; ++i) {
    const std::string guard = rng.between(0, 3) == 0 ? "@P0 " : "";
    if (rng.between(0, 5) == 0) {
      branches[i] = static_cast<size_t>(rng.between(0, static_cast<int64_t>(size)));
      lines.push_back(guard + "BRA `(.L)");
    } else {
      lines.push_back(guard + "IADD3 " + any() + ", " + any() + ", " + any() + ", RZ");
    }
  }
  lines.emplace_back("EXIT");
  return kernel_of(lines, branches);
}

bool contains(const std::vector<Register>& registers, Register which) {
  return std::find(registers.begin(), registers.end(), which) != registers.end();
}

/// Naive: a register is alive before `at` when some way leads to a read before an unguarded write.
bool is_alive(const KernelWitness& kernel, const CodeFlow& flow, uint32_t at, Register which) {
  std::set<uint32_t> seen;
  std::vector<uint32_t> open = {at};
  while (!open.empty()) {
    const uint32_t i = open.back();
    open.pop_back();
    if (!seen.insert(i).second) continue;
    const RegisterUse use = *registers_of(kernel.code[i]);
    const bool is_stack = which == Register{RegisterFile::kGeneral, 1};
    if (contains(use.reads, which) || (is_stack && kernel.code[i].base() == "EXIT")) return true;
    if (contains(use.writes, which) && !use.is_guarded) continue;
    open.insert(open.end(), flow.next[i].begin(), flow.next[i].end());
  }
  return false;
}

LAW(Liveness, IsWhatWalkingEveryWayFinds) {
  const KernelWitness kernel = any_kernel(rng);
  const CodeFlow flow = *flow_of(kernel);
  const LiveCode live = live_code(kernel);
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    const RegisterUse use = *registers_of(kernel.code[i]);
    uint32_t count = 0;
    for (uint16_t r = 0; r < 6; ++r) {
      const Register which{RegisterFile::kGeneral, r};
      count += is_alive(kernel, flow, i, which) || contains(use.writes, which) ? 1 : 0;
    }
    EXPECT_EQ(live.registers[i].general, count) << i;
  }
}

/// Naive: back from the reader on every way, past guarded writes.
std::set<uint32_t> writers(const KernelWitness& kernel, const CodeFlow& flow, uint32_t reader,
                           Register which) {
  std::set<uint32_t> seen, found;
  std::vector<uint32_t> open = flow.before[reader];
  while (!open.empty()) {
    const uint32_t i = open.back();
    open.pop_back();
    if (!seen.insert(i).second) continue;
    const RegisterUse use = *registers_of(kernel.code[i]);
    if (contains(use.writes, which)) {
      found.insert(i);
      if (!use.is_guarded) continue;
    }
    open.insert(open.end(), flow.before[i].begin(), flow.before[i].end());
  }
  return found;
}

LAW(Producers, AreWhatWalkingBackFinds) {
  const KernelWitness kernel = any_kernel(rng);
  const CodeFlow flow = *flow_of(kernel);
  const LiveCode live = live_code(kernel);
  for (uint32_t i = 0; i < kernel.code.size(); ++i) {
    std::vector<Dependency> expected;
    const RegisterUse use = *registers_of(kernel.code[i]);
    for (const Register& which : use.reads)
      for (const uint32_t writer : writers(kernel, flow, i, which))
        expected.push_back({writer, which});
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(live.producers[i], expected) << i;
  }
}

}  // namespace
}  // namespace warpledger::sass
