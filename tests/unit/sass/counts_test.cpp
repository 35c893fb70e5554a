#include "warpledger/sass/witness/counts.h"

#include "tests/support/law.h"
#include "tests/unit/sass/any_code.h"
#include "tests/unit/sass/any_walk.h"
#include "warpledger/sass/witness/blocks.h"
#include "warpledger/sass/witness/flow.h"

namespace warpledger::sass {
namespace {

LAW(Flow, TellsNothingButTheTruth) {
  const Walked walked = any_walk(rng, any_graph(rng));
  Flow flow(walked.blocks);
  flow.set_entered(0, walked.walks);
  for (uint32_t b = 0; b < walked.blocks.size(); ++b)
    if (rng.coin()) flow.set_block(b, walked.counts[b]);
  flow.propagate();
  EXPECT_TRUE(flow.violations().empty());
  for (uint32_t b = 0; b < walked.blocks.size(); ++b) {
    EXPECT_EQ(flow.block(b).value_or(walked.counts[b]), walked.counts[b]);
    for (const uint32_t next : walked.blocks[b].successors) {
      const auto found = walked.edges.find({b, next});
      const uint64_t truth = found == walked.edges.end() ? 0 : found->second;
      EXPECT_EQ(flow.edge(b, next).value_or(truth), truth);
    }
  }
}

TEST(Flow, SeesWhatDoesNotAddUp) {
  std::vector<SassBlock> blocks(2);
  blocks[0].successors = {1};
  blocks[1].leaves = true;
  Flow flow(blocks);
  flow.set_entered(0, 4);
  flow.set_block(1, 3);
  flow.propagate();
  EXPECT_FALSE(flow.violations().empty());
}

TEST(Blocks, EndAtBranchesAndStartAtTargets) {
  std::vector<Instruction> code;
  for (const char* text : {"MOV R0, R1", "@P0 BRA 0x0", "BRA.DIV UR4, 0x40", "EXIT", "BRA 0x40"}) {
    code.push_back(read_instruction(text));
    code.back().address = 16 * (code.size() - 1);
  }
  code[1].target = 0;
  code[2].target = 0x40;
  code[4].target = 0x40;
  const auto blocks = build_blocks(code, {{.name = "k", .end = 5, .is_entry = true}}, {});
  ASSERT_EQ(blocks.size(), 4U);
  EXPECT_EQ(blocks[0].successors, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(blocks[1].successors, (std::vector<uint32_t>{3, 2}));
  EXPECT_TRUE(blocks[2].leaves && blocks[2].successors.empty());
}

TEST(Blocks, APredicatedCallToALabelIsAJump) {
  std::vector<Instruction> code;
  for (const char* text : {"@P0 CALL.REL.NOINC 0x20", "BRA 0x0", "CALL.REL.NOINC `($f)", "EXIT"}) {
    code.push_back(read_instruction(text));
    code.back().address = 16 * (code.size() - 1);
  }
  code[0].target = 0x20;
  code[1].target = 0;
  const auto blocks = build_blocks(code, {{.name = "k", .end = 4, .is_entry = true}}, {});
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].successors, (std::vector<uint32_t>{2, 1}));
  EXPECT_FALSE(is_call(code[0]));
  EXPECT_TRUE(is_call(code[2]));
}

// A loop of one load, its SASS unrolled into copies of 4, 2 and 1, as ptxas 13 does.
constexpr const char* kLoop =
    "mov.u32 %r1, 0;\n$loop:\nld.global.f32 %f1, [%d1];\nadd.s32 %r1, %r1, 1;\n"
    "setp.lt.s32 %p1, %r1, 100;\n@%p1 bra $loop;\n";

KernelWitness unrolled() {
  const uint32_t load = kBody + 2, branch = kBody + 5;
  std::vector<Line> lines = {{"MOV R0, RZ", kBody}, {"@P0 BRA 0x70", branch, 0x70}};
  for (int i = 0; i < 4; ++i) lines.push_back({"LDG.E R4, [R2.64]", load});  // 0x20
  lines.push_back({"@P0 BRA 0x20", branch, 0x20});                           // 0x60
  lines.push_back({"@P1 BRA 0xa0", branch, 0xa0});                           // 0x70
  for (int i = 0; i < 2; ++i) lines.push_back({"LDG.E R4, [R2.64]", load});  // 0x80
  lines.push_back({"@P2 BRA 0xc0", branch, 0xc0});                           // 0xa0
  lines.push_back({"LDG.E R4, [R2.64]", load});                              // 0xb0
  lines.push_back({"EXIT", kBody + 6});                                      // 0xc0
  return witness_of(kLoop, lines);
}

LAW(Counts, UnrolledLoopsShareTheirTripsGreedily) {
  const auto module = ptx::parse("test.ptx", kernel_of(kLoop));
  const KernelWitness kernel = unrolled();
  FunctionCounts counts{.blocks = {0, 0, 0}};
  uint64_t fours = 0, twos = 0, ones = 0;
  for (int64_t entry = rng.between(1, 6); entry > 0; --entry) {
    const auto n = static_cast<uint64_t>(rng.between(1, 30));
    ++counts.blocks[0], ++counts.blocks[2], ++counts.trips[1][n];
    counts.blocks[1] += n;
    fours += n / 4, twos += n % 4 / 2, ones += n % 2;
  }
  const SassCounts sass = count_sass(*module, kernel, {.functions = {{0, counts}}});
  EXPECT_EQ(sass.fidelity, Fidelity::kExact) << ::testing::PrintToString(sass.why_modeled);
  EXPECT_EQ(sass.opcodes.at("LDG.E"), counts.blocks[1]);
  EXPECT_EQ(sass.blocks[1], fours);
  EXPECT_EQ(sass.blocks[3], twos);
  EXPECT_EQ(sass.blocks[5], ones);
  EXPECT_EQ(sass.opcodes.at("EXIT"), counts.blocks[0]);
}

TEST(Counts, WithoutTripsAreModeled) {
  const auto module = ptx::parse("test.ptx", kernel_of(kLoop));
  const SassCounts sass =
      count_sass(*module, unrolled(), {.functions = {{0, {.blocks = {2, 14, 2}}}}});
  EXPECT_EQ(sass.fidelity, Fidelity::kModeled);
  EXPECT_EQ(sass.opcodes.at("LDG.E"), 14U);  // 7 in each entry: 4, 2 and 1
}

// ptxas unrolls the loop whole, four trips, and reads the pair of two trips at a time.
TEST(Counts, AWideAccessThatServesSeveralTripsDoesNotMakeThemMore) {
  const std::string body =
      "mov.u32 %r3, 0;\n$loop:\nld.shared.f32 %f1, [%r1];\nld.shared.f32 %f2, [%r1+4];\n"
      "ld.shared.f32 %f3, [%r2];\nadd.s32 %r3, %r3, 1;\nsetp.lt.s32 %p1, %r3, 4;\n"
      "@%p1 bra $loop;\n";
  std::vector<Line> lines;
  for (int pair = 0; pair < 2; ++pair) lines.push_back({"LDS.128 R4, [R2]", kBody + 2});
  for (int trip = 0; trip < 4; ++trip) lines.push_back({"LDS R8, [R3]", kBody + 4});
  lines.push_back({"EXIT", kBody + 8});
  const auto module = ptx::parse("test.ptx", kernel_of(body));
  const SassCounts sass =
      count_sass(*module, witness_of(body, lines), {.functions = {{0, {.blocks = {3, 12, 3}}}}});
  EXPECT_EQ(sass.blocks, (std::vector<uint64_t>{3}));
  EXPECT_EQ(sass.opcodes.at("LDS"), 12U);
  EXPECT_EQ(sass.opcodes.at("LDS.128"), 6U);
}

TEST(Counts, PredicatedCodeRunsAsOftenAsItsBlock) {
  const std::string body = "bar.sync 0;\n@%p1 bra $end;\nst.global.f32 [%d1], %f1;\n$end:\n";
  const auto module = ptx::parse("test.ptx", kernel_of(body));
  const auto kernel = witness_of(
      body, {{"BAR.SYNC 0x0", kBody}, {"@!P0 STG.E [R2.64], R4", kBody + 2}, {"EXIT", kBody + 4}});
  const SassCounts sass = count_sass(*module, kernel, {.functions = {{0, {.blocks = {8, 3, 8}}}}});
  EXPECT_EQ(sass.opcodes.at("STG.E"), 8U);
  EXPECT_EQ(sass.total, 24U);
  EXPECT_EQ(sass.fidelity, Fidelity::kExact);
}

// `if (...) return; f();` where f never runs: the branch to `ret` became a separate EXIT.
TEST(Counts, AReturnThatBecameSeveralExitsCountsNone) {
  const std::string body = "@%p1 bra $end;\nadd.s32 %r1, %r1, 1;\n$end:\n";
  const auto module = ptx::parse("test.ptx", kernel_of(body));
  const auto kernel = witness_of(
      body, {{"@P0 EXIT", kBody}, {"IADD3 R0, R0, 0x1, RZ", kBody + 1}, {"EXIT", kBody + 3}});
  const SassCounts sass = count_sass(*module, kernel, {.functions = {{0, {.blocks = {8, 0, 8}}}}});
  EXPECT_EQ(sass.fidelity, Fidelity::kModeled);
  EXPECT_EQ(sass.total, 8U);
}

TEST(Counts, AContradictionIsModeled) {
  const std::string body =
      "ld.global.f32 %f1, [%d1];\n@%p1 bra $end;\nst.global.f32 [%d1], %f1;\n$end:\n";
  const auto module = ptx::parse("test.ptx", kernel_of(body));
  // The store is in a separate block that the load's block always enters.
  const auto kernel = witness_of(body, {{"LDG.E R2, [R2.64]", kBody},
                                        {"BRA 0x20", kBody + 1, 0x20},
                                        {"STG.E [R2.64], R4", kBody + 2},
                                        {"EXIT", kBody + 4}});
  const SassCounts sass = count_sass(*module, kernel, {.functions = {{0, {.blocks = {8, 3, 8}}}}});
  EXPECT_EQ(sass.fidelity, Fidelity::kModeled);
}

}  // namespace
}  // namespace warpledger::sass
