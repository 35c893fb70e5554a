#include "warpledger/sass/assemble.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "tests/system/sass_toolkit/launch.h"
#include "warpledger/toolchain/nvdisasm.h"
#include "warpledger/toolchain/temporary_folder.h"
#include "warpledger/toolchain/toolchain.h"

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

/// A toolkit in front of the installed one: its ptxas writes a line to a log for each run, its
/// nvdisasm fails.
class FailingToolkit {
 public:
  FailingToolkit() {
    std::filesystem::create_directory(folder_.file("bin"));
    write("ptxas", "echo run >> " + log() + "; exec " + *toolchain::find_tool("ptxas") + " \"$@\"");
    write("nvdisasm", "echo no listing >&2; exit 1");
    if (const char* home = std::getenv("CUDA_HOME")) before_ = home;
    ::setenv("CUDA_HOME", folder_.file("").c_str(), 1);
  }
  FailingToolkit(const FailingToolkit&) = delete;
  FailingToolkit& operator=(const FailingToolkit&) = delete;
  ~FailingToolkit() {
    if (before_) ::setenv("CUDA_HOME", before_->c_str(), 1);
    if (!before_) ::unsetenv("CUDA_HOME");
  }
  [[nodiscard]] std::string log() const { return folder_.file("log"); }

 private:
  void write(const std::string& name, const std::string& body) {
    const std::string path = folder_.file("bin/" + name);
    EXPECT_TRUE(write_file(path, "#!/bin/sh\n" + body + "\n").ok());
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  toolchain::TemporaryFolder folder_ = *toolchain::TemporaryFolder::create();
  std::optional<std::string> before_;
};

TEST(Assemble, RunsPtxasOnceWhereThereIsNoListing) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const FailingToolkit toolkit;
  const auto module = ptx::parse("joined.ptx", kJoined);
  for (int i = 0; i < 3; ++i) {
    const auto assembly = assemble(*module, "sm_80");
    ASSERT_FALSE(assembly.ok());
    EXPECT_THAT(assembly.error().message, ::testing::HasSubstr("no listing"));
    const auto object = compile(*module, "sm_80");
    ASSERT_TRUE(object.ok()) << to_text(object.error());
    EXPECT_NE((*object)->cubin.find("k"), nullptr);
  }
  EXPECT_EQ(*read_file(toolkit.log()), "run\n");
}

TEST(Assemble, RemembersARefusal) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const FailingToolkit toolkit;
  const auto module = ptx::parse("joined.ptx", kJoined);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(assemble(*module, "sm_1").ok());
  EXPECT_EQ(*read_file(toolkit.log()), "run\n");
}

/// nvdisasm's two forms say the same of every instruction.
TEST(Listing, TextAndJsonAgree) {
  if (!has_toolkit()) GTEST_SKIP() << "nvcc, ptxas or nvdisasm is not installed";
  const auto assembly = assemble(compiled("tests/inputs/cuda/reduction.cu", "sm_86"), "sm_86");
  ASSERT_TRUE(assembly.ok()) << to_text(assembly.error());
  const auto listing = toolchain::run_nvdisasm(
      *toolchain::find_tool("nvdisasm"), *(*assembly)->binary.bytes, toolchain::ListingForm::kText);
  const auto functions = read_listing(*listing);
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
