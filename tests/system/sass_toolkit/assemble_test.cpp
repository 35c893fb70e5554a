#include "warpledger/sass/assemble.h"

#include "tests/system/sass_toolkit/launch.h"

namespace warpledger::sass {
namespace {

constexpr const char* kJoined =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .b64 p) { .reg .b64 %d<2>; .reg .f32 %f<5>; ld.param.b64 %d1, [p];\n"
    " ld.global.f32 %f1, [%d1]; ld.global.f32 %f2, [%d1+400]; add.f32 %f3, %f1, %f2;\n"
    " st.global.f32 [%d1], %f3; ret; }\n";

TEST(Assemble, GivesEachStatementALineOfItsOwn) {
  const auto module = ptx::parse("joined.ptx", kJoined);
  ASSERT_TRUE(module.ok());
  EXPECT_FALSE(has_own_lines(*module));
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const auto told = witness(*module, "sm_80");
  ASSERT_TRUE(told.ok()) << to_text(told.error());
  const KernelWitness& kernel = told->kernels.at(0);
  ASSERT_EQ(kernel.fates.size(), 3U);
  for (const Fate& fate : kernel.fates) EXPECT_EQ(fate.kind, FateKind::kKept);
  EXPECT_EQ(kernel.fates[0].place.instruction, 1U);
}

TEST(Assemble, KeepsWhatItMade) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const auto module = ptx::parse("joined.ptx", kJoined);
  EXPECT_EQ(assemble(*module, "sm_80")->get(), assemble(*module, "sm_80")->get());
}

TEST(Assemble, QuotesPtxasWhenItRefuses) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const auto module = ptx::parse("joined.ptx", kJoined);
  EXPECT_EQ(assemble(*module, "sm_1").error().code, "tool-failed");
}

/// nvdisasm's two forms say the same of every instruction.
TEST(Listing, TextAndJsonAgree) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const auto assembly = assemble(compiled("tests/inputs/cuda/reduction.cu", "sm_86"), "sm_86");
  ASSERT_TRUE(assembly.ok()) << to_text(assembly.error());
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(write_file(folder->file("k.cubin"), *(*assembly)->binary.bytes).ok());
  const auto listing = run_tool({*find_tool("nvdisasm"), "-c", folder->file("k.cubin")});
  const auto functions = read_listing(listing->out);
  ASSERT_TRUE(functions.ok());
  for (const Function& function : *functions) {
    const CubinFunction* symbol = (*assembly)->binary.cubin.find(function.name);
    ASSERT_NE(symbol, nullptr);
    const std::vector<Instruction>& code = (*assembly)->binary.code.at(symbol->section);
    ASSERT_EQ(code.size(), function.instructions.size());
    for (size_t i = 0; i < code.size(); ++i) {
      EXPECT_EQ(code[i].opcode, function.instructions[i].opcode);
      EXPECT_EQ(code[i].predicate, function.instructions[i].predicate);
      EXPECT_EQ(code[i].address, function.instructions[i].address);
      if (code[i].base() == "BRA") {
        EXPECT_EQ(code[i].target, function.instructions[i].target);
      }
    }
  }
}

}  // namespace
}  // namespace warpledger::sass
