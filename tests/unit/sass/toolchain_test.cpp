#include "warpledger/sass/toolchain.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "warpledger/base/file.h"
#include "warpledger/sass/code.h"

namespace warpledger {
namespace {

TEST(Process, KeepsBothStreamsAndTheExitCode) {
  const auto output = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(output->exit_code, 3);
}

TEST(Process, PassesArgumentsWithoutAShell) {
  const auto output = run_process({"printf", "%s", "a b; $HOME `x`"});
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->out, "a b; $HOME `x`");
}

TEST(Process, DrainsMoreThanAPipeHolds) {
  const auto output =
      run_process({"sh", "-c", "head -c 1000000 /dev/zero; head -c 500000 /dev/zero >&2"});
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->out.size(), 1000000U);
  EXPECT_EQ(output->err.size(), 500000U);
}

TEST(Process, SaysWhatCannotBeRun) {
  EXPECT_EQ(run_process({"/no/such/program"}).error().code, "tool-failed");
  EXPECT_EQ(run_tool({"sh", "-c", "echo why >&2; exit 1"}).error().message,
            "'sh' failed with code 1: why");
}

TEST(Toolchain, NamesTheWheelWhenAToolIsMissing) {
  const auto missing = find_tool("no-such-tool");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, "no-toolkit");
}

TEST(TemporaryFolder, IsRemovedWithWhatItHolds) {
  std::string path;
  {
    const auto folder = TemporaryFolder::create();
    ASSERT_TRUE(folder.ok());
    path = folder->file("x");
    ASSERT_TRUE(write_file(path, "bytes").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Listing, ReadsPredicatesModifiersAndBracketedOperands) {
  const auto functions = sass::read_listing(
      "\t.section .text.k\n.text.k:\n"
      "        /*0000*/              @!P0 LDG.E.64 R2, desc[UR4][R2.64+0x10] ;  /* 0x0 */\n"
      "        /*0010*/                   MOV R1, c[0x0][0x28] ;\n.text.other:\n");
  ASSERT_TRUE(functions.ok());
  ASSERT_EQ(functions->size(), 2U);
  const sass::Instruction& load = (*functions)[0].instructions[0];
  EXPECT_EQ(load.predicate, "@!P0");
  EXPECT_EQ(load.base(), "LDG");
  EXPECT_TRUE(load.has("64"));
  EXPECT_FALSE(load.has("6"));
  EXPECT_EQ(load.operands, (std::vector<std::string>{"R2", "desc[UR4][R2.64+0x10]"}));
  EXPECT_EQ((*functions)[0].instructions[1].operands[1], "c[0x0][0x28]");
}

TEST(Listing, RefusesTextWithoutCode) { EXPECT_FALSE(sass::read_listing("hello\n").ok()); }

}  // namespace
}  // namespace warpledger
