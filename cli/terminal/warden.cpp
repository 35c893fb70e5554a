#include "cli/terminal/warden.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "warpledger/cell/descriptors.h"

namespace warpledger::cli {
namespace {

constexpr int kEndAll = SIGUSR2;  // we are dead, or want it

/// The parent of a process; 0 where it is gone. "123 (name) S 1 ...": a name may hold anything.
pid_t parent_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text, '\0');
  const size_t end = text.rfind(')');
  if (end == std::string::npos || text.size() < end + 5) return 0;
  return static_cast<pid_t>(std::strtol(text.c_str() + end + 4, nullptr, 10));
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (std::filesystem::directory_iterator at("/proc", ignored), end; at != end;
       at.increment(ignored)) {
    const long number = std::strtol(at->path().filename().c_str(), nullptr, 10);
    if (number > 0 && parent_of(at->path()) == getpid())
      found.push_back(static_cast<pid_t>(number));
  }
  return found;
}

/// Children of a child that ends become ours: until there are none.
void end_children() {
  do {
    for (const pid_t child : children()) kill(child, SIGKILL);
  } while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR);
}

template <class Number>
void say(int to, Number number) {
  static_cast<void>(!write(to, &number, sizeof number));
}

[[noreturn]] void watch(pid_t program, int pipe, const sigset_t& awaited) {
  for (;;) {
    const int signal = sigwaitinfo(&awaited, nullptr);
    if (signal == kEndAll) {
      end_children();
      say(pipe, int{SIGKILL});  // a status: ended by that signal
      _exit(0);
    }
    int status = 0;
    for (pid_t ended = 1; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != program) continue;
      say(pipe, status);
      _exit(0);
    }
  }
}

/// The process itself. A terminal's signals are the program's and ours, not its.
[[noreturn]] void guard(int pipe, pid_t parent, const std::function<void(pid_t)>& program) {
  sigset_t awaited, held;
  sigemptyset(&awaited);
  for (const int one : {SIGCHLD, kEndAll}) sigaddset(&awaited, one);
  held = awaited;
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP}) sigaddset(&held, one);
  sigprocmask(SIG_BLOCK, &held, nullptr);
  prctl(PR_SET_PDEATHSIG, kEndAll);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (getppid() != parent) _exit(1);  // it died before we asked
  const pid_t self = getpid();
  const pid_t child = fork();
  if (child == 0) {
    program(self);
    _exit(1);
  }
  cell::close_all_but({pipe});  // it must hold nothing open that somebody waits for the end of
  say(pipe, child);
  if (child < 0) _exit(1);
  watch(child, pipe, awaited);
}

}  // namespace

Warden::Warden(const std::function<void(pid_t parent)>& program) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    fault_ = errno;
    return;
  }
  const pid_t parent = getpid();
  warden_ = fork();
  if (warden_ == 0) guard(ends[1], parent, program);
  fault_ = warden_ < 0 ? errno : 0;
  close(ends[1]);
  pipe_ = ends[0];
  if (fault_ == 0 && (read(pipe_, &program_, sizeof program_) != sizeof program_ || program_ < 0))
    fault_ = EAGAIN;
}

Warden::~Warden() {
  if (pipe_ >= 0) close(pipe_);
  if (warden_ <= 0) return;
  int status = 0;
  while (waitpid(warden_, &status, 0) < 0 && errno == EINTR) {
  }
}

std::optional<int> Warden::status() {
  int ended = 0;
  if (warden_ <= 0 || waitpid(warden_, &ended, WNOHANG) != warden_) return {};
  warden_ = -1;
  int status = SIGKILL;  // somebody killed the warden, and the program died with it
  static_cast<void>(!read(pipe_, &status, sizeof status));
  return status;
}

void Warden::end_all() const {
  if (warden_ > 0) kill(warden_, kEndAll);
}

}  // namespace warpledger::cli
