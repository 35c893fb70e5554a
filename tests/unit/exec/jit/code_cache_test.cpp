// Compiled code on disk: found again, not trusted blindly, shared by processes.
#include "warpledger/exec/jit/runtime/code_cache.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/exec/interpreter/machine.h"
#include "tests/unit/exec/jit/both.h"
#include "warpledger/base/file.h"

namespace warpledger::exec {
namespace {

namespace fs = std::filesystem;

std::string kernel_of(const std::string& constant) {
  return kernel_text(R"(
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    ld.param.u64 %rd0, [p0];
    mov.u32 %r0, %tid.x;
    mul.wide.u32 %rd1, %r0, 4;
    add.s64 %rd2, %rd0, %rd1;
    add.u32 %r1, %r0, )" +
                     constant +
                     R"(;
    st.global.u32 [%rd2], %r1;
    ret;)");
}

class CodeOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_compile()) GTEST_SKIP() << "built without LLVM";
    folder_ = fs::temp_directory_path() / fmt::format("wl_code_test_{}", getpid());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A new cache each time: what another process would see. True when no compiler was needed.
  bool run(const std::string& constant, const EngineOptions& options = {},
           Extent block = {32, 1, 1}) {
    TestMachine machine(kernel_of(constant));
    const uint64_t out = machine.put(std::vector<uint32_t>(block[0]), "out");
    jit::CodeCache cache(folder_);
    auto engine = jit::Engine::create(
        machine.image(), {.kernel = "k", .block = block, .params = TestMachine::pack(out)}, cache,
        options);
    EXPECT_TRUE(engine) << to_text(engine.error());
    trace::NoSink sink;
    EXPECT_TRUE(trace::run_all(**engine, sink, 1));
    std::vector<uint32_t> expected(block[0]);
    for (uint32_t i = 0; i < block[0]; ++i)
      expected[i] = i + static_cast<uint32_t>(std::stoul(constant));
    EXPECT_EQ(machine.get<uint32_t>(out, block[0]), expected);
    return (*engine)->from_disk();
  }
  std::vector<fs::path> files() {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path());
    return found;
  }

  std::string folder_;
};

TEST_F(CodeOnDisk, TheSecondOpenCompilesNothing) {
  EXPECT_FALSE(run("7"));
  EXPECT_TRUE(run("7"));
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(CodeOnDisk, OtherPtxOptionsAndBlocksAreOtherCode) {
  EXPECT_FALSE(run("7"));
  EXPECT_FALSE(run("8"));
  EXPECT_FALSE(run("7", {.record = false}));
  EXPECT_FALSE(run("7", {.count = true}));
  EXPECT_FALSE(run("7", {}, {64, 1, 1}));
  EXPECT_EQ(files().size(), 5u);
}

TEST_F(CodeOnDisk, ADamagedFileIsNoticedAndReplaced) {
  run("7");
  const std::string path = files().at(0);
  const std::string whole = *read_file(path);
  for (const size_t at : {size_t{0}, size_t{40}, whole.size() / 2, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    ASSERT_TRUE(write_file(path, damaged));
    EXPECT_FALSE(run("7")) << "byte " << at;
    EXPECT_TRUE(run("7")) << "replaced";
  }
  for (const size_t size : {size_t{0}, size_t{10}, whole.size() / 2}) {
    ASSERT_TRUE(write_file(path, whole.substr(0, size)));
    EXPECT_FALSE(run("7")) << "cut to " << size;
  }
}

TEST_F(CodeOnDisk, CodeUnderTheNameOfAnotherIsRefused) {
  run("7");
  const fs::path first = files().at(0);
  const std::string of_seven = *read_file(first);
  run("8");
  for (const fs::path& path : files()) {
    if (path == first) continue;
    ASSERT_TRUE(write_file(path, of_seven));
  }
  EXPECT_FALSE(run("8"));
  EXPECT_TRUE(run("7"));
}

TEST_F(CodeOnDisk, FilesThatOthersMayWriteAreRefused) {
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    run("7");
    fs::permissions(files().at(0), others, fs::perm_options::add);
    EXPECT_FALSE(run("7"));
    EXPECT_TRUE(run("7")) << "replaced by one of our own";
  }
}

TEST_F(CodeOnDisk, AFolderThatOthersMayWriteToIsRefusedAndClosed) {
  run("7");
  fs::permissions(folder_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(run("7"));
  EXPECT_EQ(fs::status(folder_).permissions() & fs::perms::others_write, fs::perms::none);
  EXPECT_TRUE(run("7"));
}

TEST_F(CodeOnDisk, LinksAreNotFollowed) {
  run("7");
  const fs::path path = files().at(0), elsewhere = folder_ + ".elsewhere";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  EXPECT_FALSE(run("7"));
  fs::remove(elsewhere);
}

TEST_F(CodeOnDisk, AFolderThatCannotBeWrittenStopsNothing) {
  ASSERT_TRUE(write_file(folder_, "a file"));
  EXPECT_FALSE(run("7"));
  EXPECT_FALSE(run("7"));
}

TEST_F(CodeOnDisk, ProcessesThatKeepTheSameCodeAtOnceAllRun) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int j = 0; j < 5; ++j) run(std::to_string(j));
      _exit(HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (int j = 0; j < 5; ++j) EXPECT_TRUE(run(std::to_string(j)));
  EXPECT_EQ(files().size(), 5u) << "nothing temporary is left behind";
}

TEST(Objects, WhatIsNotAnObjectIsRefused) {
  const std::string text(4096, 'x');
  EXPECT_FALSE(jit::LoadedObject::load(std::as_bytes(std::span(text)), {}));
  EXPECT_FALSE(jit::LoadedObject::load({}, {}));
}

TEST(Plugin, IsLookedForAroundWhoeverAsks) {
  const std::vector<std::string> folders = jit::plugin_folders();
  const std::string here = fs::read_symlink("/proc/self/exe").parent_path();
  EXPECT_THAT(folders, ::testing::Contains(here));
  EXPECT_THAT(folders, ::testing::Contains(fs::path(here).parent_path() / "lib/warpledger"));
}

}  // namespace
}  // namespace warpledger::exec
