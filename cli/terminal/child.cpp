#include "cli/terminal/child.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "cli/terminal/warden.h"
#include "warpledger/toolchain/process.h"

namespace warpledger::cli {
namespace {

constexpr int kGraceSeconds = 3;
constexpr int kNotRun = 127;

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

/// In the child: becomes the program. It dies with its warden, and with us (warden.h): nobody would
/// read what it leaves. Returns only when it failed.
int become_child(const std::string& program, char* const* command, char* const* variables,
                 const sigset_t& mask, pid_t parent, const std::function<int()>& prepare) {
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kNotRun);  // we died before it asked
  if (const int fault = prepare ? prepare() : 0; fault != 0) return fault;
  execve(program.c_str(), command, variables);
  return errno;
}

/// What exec failed with, which the child says before it ends; 0: it did not.
int read_fault(int from) {
  int fault = 0;
  const ssize_t got = read(from, &fault, sizeof fault);
  close(from);
  return got == sizeof fault ? fault : 0;
}

Result<std::unique_ptr<Warden>> spawn(const std::string& program,
                                      const std::vector<std::string>& command,
                                      const std::vector<std::string>& variables,
                                      const sigset_t& mask, const std::function<int()>& prepare) {
  const std::vector<char*> words = toolchain::c_strings(command),
                           environment = toolchain::c_strings(variables);
  int ends[2];
  int fault = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
  std::unique_ptr<Warden> warden;
  if (fault == 0) {
    warden = std::make_unique<Warden>([&](pid_t parent) {
      const int why =
          become_child(program, words.data(), environment.data(), mask, parent, prepare);
      _exit(write(ends[1], &why, sizeof why) == sizeof why ? kNotRun : kNotRun + 1);
    });
    close(ends[1]);
    fault = warden->fault() != 0 ? warden->fault() : read_fault(ends[0]);
  }
  if (fault == 0) return warden;
  return Diagnostic{.message = fmt::format("cannot run '{}': {}", program, std::strerror(fault)),
                    .code = "bad-program"};
}

/// Nothing while it runs.
std::optional<int> code_of(Warden& child) {
  const std::optional<int> status = child.status();
  if (!status) return {};
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
}

/// A terminal sends its signals to the program too; others send them to us alone.
bool is_for_us_alone(const siginfo_t& signal) { return signal.si_code != SI_KERNEL; }

}  // namespace

Result<ProgramEnd> run_child(const std::string& program, const std::vector<std::string>& command,
                             const std::vector<std::string>& variables,
                             const std::function<int()>& prepare) {
  const HeldSignals signals;
  WL_TRY(const std::unique_ptr<Warden> child,
         spawn(program, command, variables, signals.before(), prepare));
  ProgramEnd end;
  for (;;) {
    const std::optional<siginfo_t> came = signals.next(end.interrupted ? kGraceSeconds : 0);
    const bool asked = came && came->si_signo != SIGCHLD, again = end.interrupted;
    if (asked && !again) end = {128 + came->si_signo, true};
    if (const std::optional<int> code = code_of(*child)) {
      if (!end.interrupted) end.exit_code = *code;
      return end;
    }
    if (again && (asked || !came)) {
      child->end_all();
    } else if (asked && is_for_us_alone(*came)) {
      kill(child->program(), came->si_signo);
    }
  }
}

}  // namespace warpledger::cli
