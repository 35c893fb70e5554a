#include "cli/terminal/child.h"

#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

namespace warpledger::cli {
namespace {

constexpr int kGraceSeconds = 3;

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

/// SIGINT, SIGTERM and SIGCHLD wait to be fetched while it lives.
class HeldSignals {
 public:
  HeldSignals() {
    sigemptyset(&held_);
    for (const int one : {SIGINT, SIGTERM, SIGCHLD}) sigaddset(&held_, one);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  [[nodiscard]] const sigset_t& before() const { return before_; }
  /// The next one; nothing after so many seconds. Without a limit: 0.
  [[nodiscard]] std::optional<siginfo_t> next(int seconds) const {
    siginfo_t which = {};
    const timespec limit{.tv_sec = seconds, .tv_nsec = 0};
    const int signal =
        seconds == 0 ? sigwaitinfo(&held_, &which) : sigtimedwait(&held_, &which, &limit);
    if (signal > 0) return which;
    return {};
  }

 private:
  sigset_t held_, before_;
};

Result<pid_t> spawn(const std::string& program, const std::vector<std::string>& command,
                    const std::vector<std::string>& variables, const sigset_t& mask) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&attributes, &mask);
  pid_t child = 0;
  const int fault = posix_spawn(&child, program.c_str(), nullptr, &attributes,
                                pointers(command).data(), pointers(variables).data());
  posix_spawnattr_destroy(&attributes);
  if (fault == 0) return child;
  return Diagnostic{.message = fmt::format("cannot run '{}': {}", program, std::strerror(fault)),
                    .code = "bad-program"};
}

/// Nothing while it runs.
std::optional<int> code_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, WNOHANG) != child) return {};
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// A terminal sends its signals to the program too; others send them to us alone.
bool is_for_us_alone(const siginfo_t& signal) { return signal.si_code != SI_KERNEL; }

}  // namespace

Result<ProgramEnd> run_child(const std::string& program, const std::vector<std::string>& command,
                             const std::vector<std::string>& variables) {
  const HeldSignals signals;
  WL_TRY(const pid_t child, spawn(program, command, variables, signals.before()));
  ProgramEnd end;
  for (;;) {
    const std::optional<siginfo_t> came = signals.next(end.interrupted ? kGraceSeconds : 0);
    const bool asked = came && came->si_signo != SIGCHLD, again = end.interrupted;
    if (asked && !again) end = {128 + came->si_signo, true};
    if (const std::optional<int> code = code_of(child)) {
      if (!end.interrupted) end.exit_code = *code;
      return end;
    }
    if (again && (asked || !came)) {
      kill(child, SIGKILL);
    } else if (asked && is_for_us_alone(*came)) {
      kill(child, came->si_signo);
    }
  }
}

Diagnostic become(const std::string& program, const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  return {.message = "cannot run " + program, .code = "tool-failed"};
}

std::filesystem::path own_file() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

}  // namespace warpledger::cli
