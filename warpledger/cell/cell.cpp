// The parent's side.
#include "warpledger/cell/cell.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>

#include "warpledger/base/sanitizers.h"

namespace warpledger::cell {

bool can_run_here() { return !WL_ADDRESS_SANITIZER && !WL_THREAD_SANITIZER; }

namespace {

constexpr uint64_t kMostAnswer = uint64_t{1} << 34;
constexpr size_t kMostComplaints = 16 << 10;
constexpr size_t kHead = 1 + sizeof(uint64_t);

struct Pipe {
  int read = -1, write = -1;
  int fault = 0;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
      fault = errno;
    } else {
      read = ends[0], write = ends[1];
    }
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  static void close_end(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
};

/// The child's messages, as they come in. It is not trusted: a length that cannot be ends it.
class Messages {
 public:
  explicit Messages(const std::function<void(std::string_view)>& heard) : heard_(heard) {}

  void add(std::string_view bytes, Outcome& outcome) {
    if (broken_ || outcome.answer) return;
    held_ += bytes;
    while (held_.size() >= kHead) {
      uint64_t size = 0;
      std::memcpy(&size, held_.data() + 1, sizeof size);
      if (size > kMostAnswer) return static_cast<void>(broken_ = true);
      if (held_.size() - kHead < size) return;
      if (held_[0] == 'a') return static_cast<void>(outcome.answer = held_.substr(kHead));
      if (heard_) heard_(std::string_view(held_).substr(kHead, size));
      held_.erase(0, kHead + size);
    }
  }

 private:
  const std::function<void(std::string_view)>& heard_;
  std::string held_;
  bool broken_ = false;
};

using Clock = std::chrono::steady_clock;

/// Milliseconds that poll() may wait; -1: for ever.
int time_left(const Limits& limits, Clock::time_point begun) {
  if (limits.seconds <= 0) return -1;
  const double left = limits.seconds - std::chrono::duration<double>(Clock::now() - begun).count();
  return static_cast<int>(std::ceil(1000 * std::clamp(left, 0.0, 1e6)));
}

/// False at the end of the stream.
bool take(int from, const std::function<void(std::string_view)>& use) {
  char bytes[1 << 16];
  const ssize_t count = read(from, bytes, sizeof bytes);
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  use({bytes, static_cast<size_t>(count)});
  return true;
}

/// Reads both streams to their ends; false when the time was over first.
bool listen(int messages, int complaints, const Limits& limits,
            const std::function<void(std::string_view)>& heard, Outcome& outcome) {
  const Clock::time_point begun = Clock::now();
  Messages received(heard);
  pollfd ends[] = {{messages, POLLIN, 0}, {complaints, POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const int ready = poll(ends, 2, time_left(limits, begun));
    if (ready == 0 && time_left(limits, begun) == 0) return false;
    if (ready <= 0) continue;
    const auto add_message = [&](std::string_view text) { received.add(text, outcome); };
    const auto add_complaint = [&](std::string_view text) {
      outcome.complaints += text.substr(0, kMostComplaints - outcome.complaints.size());
    };
    if (ends[0].revents != 0 && !take(messages, add_message)) ends[0].fd = -1;
    if (ends[1].revents != 0 && !take(complaints, add_complaint)) ends[1].fd = -1;
  }
  return true;
}

/// In the child. The program's handlers are not for it, and nothing of the program ends with it.
[[noreturn]] void begin(const Limits& limits, const Pipe& messages, const Pipe& complaints,
                        pid_t parent, const std::function<std::string(Inside&)>& work) {
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGPIPE}) signal(one, SIG_DFL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died before we asked
  dup2(complaints.write, STDERR_FILENO);
  Inside inside(messages.write, limits);
  inside.answer(work(inside));
  _exit(0);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

Outcome run(const Limits& limits, const std::function<std::string(Inside&)>& work,
            const std::function<void(std::string_view)>& heard) {
  Outcome outcome;
  Pipe messages, complaints;
  outcome.not_started = messages.fault != 0 ? messages.fault : complaints.fault;
  if (outcome.not_started != 0) return outcome;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) begin(limits, messages, complaints, parent, work);
  if (child < 0) return outcome.not_started = errno, outcome;
  Pipe::close_end(messages.write);
  Pipe::close_end(complaints.write);
  outcome.is_late = !listen(messages.read, complaints.read, limits, heard, outcome);
  if (outcome.is_late) kill(child, SIGKILL);
  const int signal = wait_for(child);
  if (!outcome.answer && !outcome.is_late) outcome.signal = signal;
  return outcome;
}

Diagnostic describe(const Outcome& outcome) {
  const char* const code = "cell-ended";
  if (outcome.not_started != 0) {
    return {.message = fmt::format("cannot start a process for the kernel: {}",
                                   std::strerror(outcome.not_started)),
            .hint = "--no-isolation runs it in this one",
            .code = code};
  }
  std::string why = outcome.signal == 0 ? "without an answer"
                                        : fmt::format("with signal {} ({})", outcome.signal,
                                                      strsignal(outcome.signal));
  if (outcome.signal == SIGKILL) why += ", perhaps for lack of memory";
  return {.message = "the kernel's process ended " + why +
                     (outcome.complaints.empty() ? "" : ":\n" + outcome.complaints),
          .code = code};
}

}  // namespace warpledger::cell
