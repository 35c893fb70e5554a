// $WARPLEDGER_DEBUG: what the compiler makes, as files.
#include "warpledger/exec/jit/runtime/dump.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"
#include "warpledger/base/file.h"

namespace warpledger::exec {
namespace {

namespace fs = std::filesystem;

TEST(Dump, NothingIsAskedForByNothing) {
  const auto dump = jit::parse_dump("");
  ASSERT_TRUE(dump);
  EXPECT_FALSE(dump->any());
}

TEST(Dump, WordsAreSeparatedByCommas) {
  const auto dump = jit::parse_dump("jit:ir,asm");
  ASSERT_TRUE(dump);
  EXPECT_TRUE(dump->ir && dump->assembly && !dump->emitted);
}

TEST(Dump, AWordThatIsNotKnownIsNamed) {
  for (const auto& [text, named] : {std::pair{"jit:ir,sass", "'sass'"}, {"gpu:ir", "'gpu:ir'"}}) {
    const auto dump = jit::parse_dump(text);
    ASSERT_FALSE(dump);
    EXPECT_THAT(dump.error().message, ::testing::HasSubstr(named));
  }
}

TEST(Dump, TheNameIsThatOfTheKernelAndItsCode) {
  EXPECT_EQ(jit::dump_stem("saxpy", "wl_0123456789abcdef"), "warpledger-debug/saxpy.01234567");
  EXPECT_LT(jit::dump_stem(std::string(300, 'k'), "wl_0123456789abcdef").size(), 200u);
}

class DumpedKernel : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_compile()) GTEST_SKIP() << "built without LLVM";
    before_ = fs::current_path();
    folder_ = fs::temp_directory_path() / fmt::format("wl_dump_test_{}", getpid());
    fs::create_directories(folder_);
    fs::current_path(folder_);
    setenv("WARPLEDGER_DEBUG", "jit:emitted,ir,asm", 1);
  }
  void TearDown() override {
    unsetenv("WARPLEDGER_DEBUG");
    if (before_.empty()) return;
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  static void create(const std::string& code_folder) {
    TestMachine machine(kernel_text("ret;"));
    jit::CodeCache cache(code_folder);
    auto engine = jit::Engine::create(
        machine.image(), {.kernel = "k", .block = {32, 1, 1}, .params = TestMachine::pack(0ull)},
        cache, {});
    EXPECT_TRUE(engine) << to_text(engine.error());
  }
  // Ending to content.
  static std::map<std::string, std::string> dumped() {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator("warpledger-debug")) {
      const std::string name = entry.path().filename().string();
      files[name.substr(name.find('.', 2))] = *read_file(entry.path().string());
    }
    return files;
  }
  fs::path before_, folder_;
};

TEST_F(DumpedKernel, IrAndAssemblyAreWritten) {
  create({});
  const auto files = dumped();
  ASSERT_EQ(files.size(), 3u);
  EXPECT_THAT(files.at(".emitted.ll"), ::testing::HasSubstr("alloca"));
  EXPECT_THAT(files.at(".ll"), ::testing::HasSubstr("define void @wl_"));
  EXPECT_THAT(files.at(".s"), ::testing::HasSubstr(".globl"));
}

TEST_F(DumpedKernel, CodeOnDiskIsCompiledAgain) {
  create("code");
  fs::remove_all("warpledger-debug");
  create("code");
  EXPECT_EQ(dumped().size(), 3u);
}

}  // namespace
}  // namespace warpledger::exec
