#include "warpledger/exec/jit/runtime/apart.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace warpledger::exec::jit {
namespace {

constexpr int kLookMilliseconds = 20;  // between looks at the clock
constexpr char kAnswered = '+', kFailed = '-';

Diagnostic failure(const char* what) {
  return {.message = std::string("cannot compile in a separate process: ") + what,
          .code = "jit-failed"};
}

void write_all(int file, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    done += static_cast<size_t>(wrote);
  }
}

// '-', the fallback as a digit, the code, a newline, the message.
std::string packed(const Diagnostic& error) {
  const Fallback fallback = error.fallback;
  const auto digit = static_cast<char>('0' + static_cast<int>(fallback));
  return std::string{kFailed, digit} + error.code + '\n' + error.message;
}

// The fork. The program's handlers are not for it, and nothing of the program ends with it.
[[noreturn]] void answer(int file, const std::function<Result<std::string>()>& work) {
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGPIPE}) signal(one, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const Result<std::string> made = work();
  write_all(file, made ? kAnswered + *made : packed(made.error()));
  _exit(0);
}

// False when the deadline passed before the end of the answer.
bool read_until(int file, const Deadline& deadline, std::string& text) {
  char bytes[1 << 16];
  while (!deadline.has_passed()) {
    pollfd ready{.fd = file, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kLookMilliseconds) <= 0) continue;
    const ssize_t count = read(file, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(bytes, static_cast<size_t>(count));
  }
  return false;
}

Result<std::string> unpacked(const std::string& text) {
  const bool answered = !text.empty() && text[0] == kAnswered;
  if (answered) return text.substr(1);
  const size_t line = text.find('\n');
  if (line == std::string::npos || line < 2) return failure("it ended without an answer");
  return Diagnostic{.message = text.substr(line + 1),
                    .code = text.substr(2, line - 2),
                    .fallback = static_cast<Fallback>(text[1] - '0')};
}

}  // namespace

Result<std::string> run_apart(const Deadline& deadline,
                              const std::function<Result<std::string>()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure("no pipe");
  const pid_t child = fork();
  if (child == 0) answer(ends[1], work);
  close(ends[1]);
  std::string text;
  const bool in_time = child > 0 && read_until(ends[0], deadline, text);
  close(ends[0]);
  if (child < 0) return failure("no process");
  if (!in_time) kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {  // the program may have waited for it
  }
  if (in_time) return unpacked(text);
  return Diagnostic{.message = "kernel timed out while it was being compiled",
                    .hint = kTimeLimitHint,
                    .code = kTimeLimit,
                    .fallback = Fallback::kMoreTime};
}

}  // namespace warpledger::exec::jit
