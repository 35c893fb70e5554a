// What a locked cell may do, tried from inside: each clause of its filter and limits.
#include "warpledger/cell/cell.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

namespace warpledger::cell {
namespace {

/// errno as a word; "worked" where the call did.
std::string word(long result) { return result < 0 ? strerrorname_np(errno) : "worked"; }

/// What the call gives inside a locked cell.
std::string tried(const std::function<long()>& call) {
  const Outcome done = run({}, [&](Inside& inside) -> std::string {
    if (!inside.lock()) return "not locked";
    return word(call());
  });
  return done.answer.value_or("no answer");
}

/// What a cell does once it is locked, where the system can filter calls: emulators of a processor
/// (qemu-user) refuse it, and then no cell is locked.
class LockedCell : public ::testing::Test {
 protected:
  void SetUp() override {
    const uint32_t action = SECCOMP_RET_ALLOW;
    if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0)
      GTEST_SKIP() << "no system-call filters here: " << std::strerror(errno);
  }
};

TEST(Cell, AnswersWhatTheWorkReturns) {
  std::string large(5'000'000, 'x');
  const Outcome done = run({}, [&](Inside&) { return large; });
  EXPECT_EQ(done.answer, large);
  EXPECT_EQ(done.signal, 0);
}

TEST_F(LockedCell, TellsOnTheWay) {
  std::vector<std::string> heard;
  const Outcome done = run(
      {},
      [](Inside& inside) -> std::string {
        inside.tell("one");
        if (!inside.lock()) return "not locked";
        inside.tell("two");
        return "end";
      },
      [&](std::string_view text) { heard.emplace_back(text); });
  EXPECT_EQ(done.answer, "end");
  EXPECT_EQ(heard, (std::vector<std::string>{"one", "two"}));
}

TEST_F(LockedCell, OpensNoFile) {
  EXPECT_EQ(tried([] { return open("/etc/passwd", O_RDONLY); }), "EPERM");
  EXPECT_EQ(tried([] { return open("/dev/null", O_WRONLY); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_openat2, AT_FDCWD, "/", nullptr, 0); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_memfd_create, "x", 0); }), "EPERM");
  EXPECT_EQ(tried([] { return unlink("/nowhere"); }), "EPERM");
  EXPECT_EQ(tried([] { return rename("/nowhere", "/nowhere2"); }), "EPERM");
  EXPECT_EQ(tried([] { return mkdir("/nowhere", 0700); }), "EPERM");
  EXPECT_EQ(tried([] { return chmod("/nowhere", 0777); }), "EPERM");
}

TEST_F(LockedCell, StartsNoProgramAndNoProcess) {
  EXPECT_EQ(tried([] { return execl("/bin/true", "true", nullptr); }), "EPERM");
  EXPECT_EQ(tried([] { return fork(); }), "EPERM");
  EXPECT_EQ(tried([] { return vfork(); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_clone, SIGCHLD, nullptr); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_clone3, nullptr, 0); }), "ENOSYS");
}

TEST_F(LockedCell, HasNoNetwork) {
  EXPECT_EQ(tried([] { return socket(AF_INET, SOCK_STREAM, 0); }), "EPERM");
  EXPECT_EQ(tried([] { return socket(AF_UNIX, SOCK_STREAM, 0); }), "EPERM");
  EXPECT_EQ(tried([] {
              int two[2];
              return socketpair(AF_UNIX, SOCK_STREAM, 0, two);
            }),
            "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_io_uring_setup, 8, nullptr); }), "EPERM");
}

TEST_F(LockedCell, TouchesNoOtherProcess) {
  EXPECT_EQ(tried([] { return kill(getppid(), SIGTERM); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_tgkill, 1, 1, 0); }), "EPERM");
  EXPECT_EQ(tried([] { return ptrace(PTRACE_TRACEME, 0, nullptr, nullptr); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_process_vm_writev, 1, nullptr, 0, nullptr, 0, 0); }),
            "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_pidfd_open, 1, 0); }), "EPERM");
}

TEST_F(LockedCell, ChangesNoRightsOfItsOwn) {
  EXPECT_EQ(tried([] { return setuid(0); }), "EPERM");
  EXPECT_EQ(tried([] { return prctl(PR_SET_DUMPABLE, 1); }), "EPERM");
  EXPECT_EQ(tried([] { return unshare(CLONE_NEWUSER); }), "EPERM");
  EXPECT_EQ(tried([] { return syscall(SYS_bpf, 0, nullptr, 0); }), "EPERM");
  const rlimit any{RLIM_INFINITY, RLIM_INFINITY};
  EXPECT_EQ(tried([&] { return setrlimit(RLIMIT_CORE, &any); }), "EPERM");
}

long map(int protection, int flags) {
  void* const at = mmap(nullptr, 4096, protection, flags, -1, 0);
  return at == MAP_FAILED ? -1 : 0;
}

TEST_F(LockedCell, MakesNoExecutableMemory) {
  constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS;
  EXPECT_EQ(tried([] { return map(PROT_READ | PROT_WRITE, kAnonymous); }), "worked");
  EXPECT_EQ(tried([] { return map(PROT_READ | PROT_EXEC, kAnonymous); }), "EPERM");
  EXPECT_EQ(tried([] { return map(PROT_READ, MAP_PRIVATE); }), "EPERM");  // of a file
  EXPECT_EQ(tried([] {
              void* const at = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, kAnonymous, -1, 0);
              return mprotect(at, 4096, PROT_READ | PROT_EXEC);
            }),
            "EPERM");
}

TEST_F(LockedCell, WritesToItsPipeAlone) {
  EXPECT_EQ(tried([] { return write(STDOUT_FILENO, "x", 1); }), "EPERM");
  EXPECT_EQ(tried([] { return write(99, "x", 1); }), "EPERM");
  char byte = 0;
  EXPECT_EQ(tried([&] { return read(STDIN_FILENO, &byte, 1); }), "EPERM");
  EXPECT_EQ(tried([] { return dup(STDERR_FILENO); }), "EPERM");
}

TEST_F(LockedCell, InheritsNoDescriptor) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
  ssize_t got = -1;
  const Outcome done = run(
      {},
      [](Inside& inside) -> std::string {
        if (!inside.lock()) return "not locked";
        inside.tell("locked");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return "end";
      },
      [&](std::string_view) {
        close(ends[1]);
        char byte = 0;
        got = read(ends[0], &byte, 1);  // end of file, once the other end is closed
      });
  EXPECT_EQ(done.answer, "end");
  EXPECT_EQ(got, 0);
  close(ends[0]);
}

TEST_F(LockedCell, RunsThreads) {
  if (!can_run_here()) GTEST_SKIP() << "a sanitizer's threads need more than a cell has";
  const Outcome done = run({}, [](Inside& inside) -> std::string {
    if (!inside.lock()) return "not locked";
    int sum = 0;
    std::thread other([&] { sum = 42; });
    other.join();
    return std::to_string(sum);
  });
  EXPECT_EQ(done.answer, "42");
}

TEST_F(LockedCell, LocksThreadsThatRanBefore) {
  const Outcome done = run({}, [](Inside& inside) -> std::string {
    std::atomic<bool> locked = false;
    std::string said;
    std::thread other([&] {
      while (!locked) std::this_thread::yield();
      said = word(open("/etc/passwd", O_RDONLY));
    });
    const bool is_locked = inside.lock().ok();
    locked = true;
    other.join();
    return is_locked ? said : "not locked";
  });
  EXPECT_EQ(done.answer, "EPERM");
}

TEST_F(LockedCell, HasBoundedMemory) {
  const Outcome done = run({.memory_bytes = 64 << 20}, [](Inside& inside) -> std::string {
    if (!inside.lock()) return "not locked";
    constexpr int kAnonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const auto get = [](size_t bytes) {
      return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kAnonymous, -1, 0) == MAP_FAILED ? "none"
                                                                                           : "some";
    };
    return std::string(get(16 << 20)) + " " + get(1 << 30);
  });
  EXPECT_EQ(done.answer, "some none");
}

double seconds_of(const std::function<void()>& work) {
  const auto begun = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

TEST_F(LockedCell, IsStoppedWhenItsTimeIsOver) {
  Outcome done;
  const double took = seconds_of([&] {
    done = run({.seconds = 0.2}, [](Inside& inside) -> std::string {
      if (!inside.lock()) return "not locked";
      for (;;) {
      }
    });
  });
  EXPECT_TRUE(done.is_late);
  EXPECT_FALSE(done.answer);
  EXPECT_LT(took, 1.5);
}

TEST_F(LockedCell, SaysWhichSignalEndedIt) {
  const Outcome done = run({}, [](Inside& inside) -> std::string {
    if (!inside.lock()) return "not locked";
    std::fputs("a last word\n", stderr);
    std::abort();
  });
  EXPECT_FALSE(done.answer);
  EXPECT_EQ(done.signal, SIGABRT);
  EXPECT_EQ(done.complaints, "a last word\n");
  EXPECT_NE(describe(done).message.find("signal 6 (Aborted)"), std::string::npos);
}

TEST(Cell, EndsWithAnswersThatCannotBe) {
  // A length of 2^63: what a child that was taken over may send.
  const Outcome done = run({}, [](Inside&) -> std::string {
    std::string head(9, '\x7f');
    head[0] = 'a';
    for (int fd = 3; fd < 64; ++fd) static_cast<void>(!write(fd, head.data(), head.size()));
    _exit(0);
  });
  EXPECT_FALSE(done.answer);
}

TEST_F(LockedCell, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    static_cast<void>(run({}, [&](Inside& inside) -> std::string {
      const pid_t self = getpid();
      static_cast<void>(!write(ends[1], &self, sizeof self));
      if (!inside.lock()) return "not locked";
      for (;;) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }));
    _exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(read(ends[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ASSERT_EQ(kill(parent, SIGKILL), 0);
  waitpid(parent, nullptr, 0);
  const auto is_alive = [&] {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string text;
    std::getline(stat, text);
    return !text.empty() && text.find(") Z") == std::string::npos;
  };
  for (int i = 0; i < 200 && is_alive(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_alive());
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace warpledger::cell
