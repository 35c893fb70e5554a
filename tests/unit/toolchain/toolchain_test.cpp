#include "warpledger/toolchain/toolchain.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "warpledger/base/file.h"
#include "warpledger/toolchain/nvdisasm.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/ptxas.h"
#include "warpledger/toolchain/temporary_folder.h"

namespace warpledger::toolchain {
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

TEST(Toolchain, FindsTheWheelsOfTheInterpreterThatStartedIt) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder.ok());
  const std::string bin = folder->file("lib/python3.11/site-packages/nvidia/cu13/bin");
  std::filesystem::create_directories(bin);
  ASSERT_TRUE(write_file(bin + "/no-such-tool", "").ok());
  std::filesystem::permissions(bin + "/no-such-tool", std::filesystem::perms::owner_all);
  ASSERT_FALSE(find_tool("no-such-tool").ok());
  ASSERT_EQ(setenv("WARPLEDGER_PYTHON", folder->file("bin/python").c_str(), 1), 0);
  const auto found = find_tool("no-such-tool");
  unsetenv("WARPLEDGER_PYTHON");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, bin + "/no-such-tool");
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

/// A program that a test wrote.
std::string script(const TemporaryFolder& folder, const std::string& name,
                   const std::string& body) {
  const std::string path = folder.file(name);
  EXPECT_TRUE(write_file(path, "#!/bin/sh\n" + body + "\n").ok());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

// $3 is the text and $5 the cubin: ptxas -lineinfo -arch=A IN -o OUT.
TEST(Ptxas, TheFirstThatTakesTheTextAnswers) {
  const auto folder = TemporaryFolder::create();
  const std::string old = script(*folder, "old", "echo too new >&2; exit 1");
  const std::string newer = script(*folder, "newer", "echo \"$2\" > \"$5\"; cat \"$3\" >> \"$5\"");
  const auto made = run_ptxas({old, newer, old}, "text", "sm_90a");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  EXPECT_EQ(made->program, newer);
  EXPECT_EQ(made->cubin, "-arch=sm_90a\ntext");
}

TEST(Ptxas, TheFirstRefusalIsTheFailure) {
  const auto folder = TemporaryFolder::create();
  const std::string one = script(*folder, "one", "echo first >&2; exit 1");
  const std::string two = script(*folder, "two", "echo second >&2; exit 1");
  const auto made = run_ptxas({one, two}, "text", "sm_80");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "'" + one + "' failed with code 1: first");
}

TEST(Nvdisasm, IsAskedForTheFormOfTheListing) {
  const auto folder = TemporaryFolder::create();
  const std::string program = script(*folder, "nvdisasm", "echo \"$1\"; cat \"$2\"");
  EXPECT_EQ(*run_nvdisasm(program, "bytes", ListingForm::kText), "-c\nbytes");
  EXPECT_EQ(*run_nvdisasm(program, "bytes", ListingForm::kJson), "-json\nbytes");
}

}  // namespace
}  // namespace warpledger::toolchain
