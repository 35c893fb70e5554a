// What a confined program may still do, tried from inside: each clause.
#include "warpledger/cell/confine.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>

namespace warpledger::cell {
namespace {

class Confined : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_confine()) GTEST_SKIP() << "no Landlock here";
    char name[] = "/tmp/confined-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    root_ = name;
    std::filesystem::create_directory(root_ / "own");
    close(open((root_ / "file").c_str(), O_CREAT | O_WRONLY, 0600));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  /// errno as a word, from a process that may write in root_/own; "worked" where the call did.
  std::string tried(const std::function<long()>& call) const {
    const pid_t child = fork();
    if (child == 0) {
      if (confine({(root_ / "own").string()}) != 0) _exit(255);
      const long result = call();
      _exit(result < 0 ? errno : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 255) return "not confined";
    return WEXITSTATUS(status) == 0 ? "worked" : strerrorname_np(WEXITSTATUS(status));
  }
  [[nodiscard]] std::string at(const char* name) const { return (root_ / name).string(); }

  std::filesystem::path root_;
};

TEST_F(Confined, ReadsFilesAndRunsPrograms) {
  EXPECT_EQ(tried([] { return open("/etc/passwd", O_RDONLY); }), "worked");
  EXPECT_EQ(tried([] { return long{system("/bin/true")} == 0 ? 0L : -1L; }), "worked");
  EXPECT_EQ(tried([] { return open("/dev/null", O_WRONLY); }), "worked");
}

TEST_F(Confined, WritesInItsOwnFolderAlone) {
  EXPECT_EQ(tried([&] { return open(at("own/new").c_str(), O_CREAT | O_WRONLY, 0600); }), "worked");
  EXPECT_EQ(tried([&] { return mkdir(at("own/folder").c_str(), 0700); }), "worked");
  EXPECT_EQ(tried([&] { return open(at("new").c_str(), O_CREAT | O_WRONLY, 0600); }), "EACCES");
  EXPECT_EQ(tried([&] { return open(at("file").c_str(), O_WRONLY); }), "EACCES");
  EXPECT_EQ(tried([&] { return unlink(at("file").c_str()); }), "EACCES");
  EXPECT_EQ(tried([&] { return truncate(at("file").c_str(), 0); }), "EACCES");
  EXPECT_EQ(tried([&] { return mkdir(at("folder").c_str(), 0700); }), "EACCES");
  EXPECT_EQ(tried([&] { return symlink("/etc", at("link").c_str()); }), "EACCES");
}

TEST_F(Confined, HasNoNetwork) {
  EXPECT_EQ(tried([] { return socket(AF_INET, SOCK_STREAM, 0); }), "EPERM");
  EXPECT_EQ(tried([] { return socket(AF_INET, SOCK_DGRAM, 0); }), "EPERM");
  EXPECT_EQ(tried([] { return socket(AF_UNIX, SOCK_STREAM, 0); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_io_uring_setup, 8, nullptr); }), "EPERM");
  EXPECT_EQ(tried([] {
              int two[2];
              return socketpair(AF_UNIX, SOCK_STREAM, 0, two);
            }),
            "worked");
}

TEST_F(Confined, LooksIntoNoOtherProcess) {
  EXPECT_EQ(tried([] { return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr); }), "EPERM");
  EXPECT_EQ(
      tried([] { return syscall(SYS_process_vm_readv, getppid(), nullptr, 0, nullptr, 0, 0); }),
      "EPERM");
  EXPECT_EQ(tried([] { return unshare(CLONE_NEWUSER); }), "EPERM");
}

TEST_F(Confined, WhatItStartsIsConfinedToo) {
  const std::string command = "echo x >" + at("file");
  EXPECT_EQ(tried([&] { return system(command.c_str()) == 0 ? 0L : (errno = EACCES, -1L); }),
            "EACCES");
}

}  // namespace
}  // namespace warpledger::cell
