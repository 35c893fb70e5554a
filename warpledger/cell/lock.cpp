// The child's side: locking, and talking to the parent.
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "warpledger/cell/cell.h"
#include "warpledger/cell/descriptors.h"
#include "warpledger/cell/filter.h"

namespace warpledger::cell {
namespace {

constexpr double kGraceSeconds = 2;  // the parent is first to stop it

Diagnostic cannot(const char* what) {
  return {
      .message = std::string("cannot isolate the kernel: ") + what + ": " + std::strerror(errno),
      .hint = "--no-isolation runs it with your rights",
      .code = "no-isolation"};
}

void limit(int which, uint64_t most) {
  const rlimit both{most, most};
  setrlimit(static_cast<__rlimit_resource_t>(which), &both);
}

/// Addresses in use; 0 where the system does not say.
uint64_t bytes_in_use() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(getpagesize());
}

void set_limits(const Limits& limits) {
  // Out of memory, the system ends this process before any other of the user's.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  const uint64_t used = bytes_in_use();
  if (limits.memory_bytes != 0 && used != 0) limit(RLIMIT_AS, used + limits.memory_bytes);
  if (limits.seconds > 0) {
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    limit(RLIMIT_CPU, static_cast<uint64_t>(
                          std::ceil(threads * std::min(limits.seconds + kGraceSeconds, 1e9))));
  }
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, 0);
}

/// No file, no port: what the filter refuses already, refused again by another part of the system.
/// A system without Landlock has the filter alone.
void close_file_system() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return;
  struct {
    uint64_t files, ports;
  } handled = {.files = (1u << 13) - 1, .ports = 3};  // version 1 has 13 rights on files
  if (version >= 2) handled.files |= 1u << 13;        // to move files elsewhere
  if (version >= 3) handled.files |= 1u << 14;        // to truncate
  if (version >= 5) handled.files |= 1u << 15;        // ioctl of devices
  const size_t size = version >= 4 ? sizeof handled : sizeof handled.files;
  const long rules = syscall(SYS_landlock_create_ruleset, &handled, size, 0);
  if (rules < 0) return;
  syscall(SYS_landlock_restrict_self, rules, 0);
  close(static_cast<int>(rules));
}

}  // namespace

Status Inside::lock() {
  if (locked_) return {};
  close_all_but({STDERR_FILENO, pipe_});
  set_limits(limits_);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return cannot("no_new_privs");
  close_file_system();
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  std::vector<sock_filter> code = filter(pipe_, getpid());
  sock_fprog program{.len = static_cast<uint16_t>(code.size()), .filter = code.data()};
  // All threads. Old kernels slow filtered processes down against Spectre unless told not to: a
  // cell has no secrets of its own.
  constexpr unsigned kFlags = SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_SPEC_ALLOW;
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kFlags, &program) != 0)
    return cannot("no system-call filter");
  locked_ = true;
  return {};
}

void Inside::tell(std::string_view text) { send('t', text); }

void Inside::answer(std::string_view text) { send('a', text); }

// A letter, eight bytes of length, the text.
void Inside::send(char kind, std::string_view text) {
  const uint64_t size = text.size();
  std::string whole(1 + sizeof size, kind);
  std::memcpy(whole.data() + 1, &size, sizeof size);
  whole += text;
  const std::lock_guard lock(mutex_);
  for (size_t done = 0; done < whole.size();) {
    const ssize_t wrote = write(pipe_, whole.data() + done, whole.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // the parent is gone, and this process with it
    done += static_cast<size_t>(wrote);
  }
}

}  // namespace warpledger::cell
