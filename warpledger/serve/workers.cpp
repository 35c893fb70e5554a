#include "warpledger/serve/workers.h"

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

namespace warpledger::serve {
namespace {

Diagnostic not_started() {
  return {.message = fmt::format("cannot start a worker process: {}", std::strerror(errno)),
          .code = "no-worker"};
}

/// What precedes a text: which question it is or answers, kDeath for none, and its length.
struct Head {
  uint64_t number = 0, size = 0;
};
constexpr uint64_t kDeath = 0;

struct Message {
  uint64_t number = kDeath;
  std::string text;
};

bool send_all(int socket, const void* bytes, size_t size) {
  const auto* at = static_cast<const char*>(bytes);
  while (size != 0) {
    const ssize_t sent = ::send(socket, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent, size -= static_cast<size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* bytes, size_t size) {
  auto* at = static_cast<char*>(bytes);
  while (size != 0) {
    const ssize_t got = ::recv(socket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, size -= static_cast<size_t>(got);
  }
  return true;
}

bool send_message(int socket, const Message& message) {
  const Head head{message.number, message.text.size()};
  return send_all(socket, &head, sizeof head) &&
         send_all(socket, message.text.data(), message.text.size());
}

/// Nothing where the other side has gone.
std::optional<Message> receive(int socket) {
  Head head;
  if (!receive_all(socket, &head, sizeof head)) return {};
  Message message{head.number, std::string(head.size, '\0')};
  if (!receive_all(socket, message.text.data(), head.size)) return {};
  return message;
}

/// The answer to question `number`, or that the worker died. One that died between two questions
/// may have left that behind, and the next one an answer that nobody waits for.
std::optional<std::string> receive_answer(int socket, uint64_t number) {
  while (std::optional<Message> message = receive(socket)) {
    if (message->number == number || message->number == kDeath) return std::move(message->text);
  }
  return {};
}

void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before we asked
}

/// Until the other side closes.
[[noreturn]] void answer_all(int socket, const std::function<LineFunction()>& begin) {
  const LineFunction answer = begin();
  while (const std::optional<Message> asked = receive(socket)) {
    if (!send_message(socket, {asked->number, answer(asked->text)})) break;
  }
  ::_exit(0);
}

/// In a process of its own: starts the one that answers, again and again while it dies.
[[noreturn]] void supervise(int socket, const std::function<LineFunction()>& begin,
                            const std::function<std::string(int)>& died) {
  const pid_t self = ::getpid();
  while (true) {
    const pid_t child = ::fork();
    if (child == 0) {
      die_with(self);
      answer_all(socket, begin);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (child < 0 || !WIFSIGNALED(status)) ::_exit(child < 0 ? 1 : WEXITSTATUS(status));
    if (!send_message(socket, {kDeath, died(WTERMSIG(status))})) ::_exit(0);
  }
}

}  // namespace

Result<std::unique_ptr<Workers>> Workers::start(uint32_t count,
                                                const std::function<LineFunction()>& begin,
                                                const std::function<std::string(int)>& died) {
  std::unique_ptr<Workers> workers(new Workers(died));
  const pid_t self = ::getpid();
  for (uint32_t i = 0; i < count; ++i) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return not_started();
    const pid_t child = ::fork();
    if (child == 0) {
      // A terminal's Ctrl-C is for who serves: it lets its workers finish.
      ::setpgid(0, 0);
      for (const int one : {SIGINT, SIGTERM, SIGHUP}) std::signal(one, SIG_DFL);
      die_with(self);
      ::close(ends[0]);
      for (const Worker& other : workers->all_) ::close(other.socket);
      supervise(ends[1], begin, died);
    }
    ::close(ends[1]);
    if (child < 0) return ::close(ends[0]), not_started();
    workers->all_.push_back({ends[0], child});
  }
  workers->free_ = workers->all_;
  workers->left_ = count;
  return workers;
}

Workers::~Workers() {
  for (const Worker& worker : all_) ::close(worker.socket);
  for (const Worker& worker : all_) ::waitpid(worker.process, nullptr, 0);
}

std::optional<Workers::Worker> Workers::take(uint64_t& number) {
  std::unique_lock lock(mutex_);
  freed_.wait(lock, [&] { return !free_.empty() || left_ == 0; });
  if (left_ == 0) return {};
  number = ++asked_;
  const Worker worker = free_.back();
  free_.pop_back();
  return worker;
}

void Workers::give_back(const Worker& worker, bool is_well) {
  {
    const std::lock_guard lock(mutex_);
    if (is_well) free_.push_back(worker);
    left_ -= is_well ? 0 : 1;
  }
  freed_.notify_all();
}

std::string Workers::answer(const std::string& line) {
  uint64_t number = 0;
  const std::optional<Worker> worker = take(number);
  if (!worker) return died_(SIGKILL);
  std::optional<std::string> answer;
  if (send_message(worker->socket, {number, line})) answer = receive_answer(worker->socket, number);
  give_back(*worker, answer.has_value());
  return answer ? *std::move(answer) : died_(SIGKILL);
}

}  // namespace warpledger::serve
