#include "warpledger/serve/line_server.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <list>
#include <semaphore>
#include <thread>

namespace warpledger::serve {
namespace {

constexpr size_t kChunk = size_t{64} << 10;  // bytes read at a time
constexpr int kBacklog = 128;
constexpr int kSweepMilliseconds = 1000;  // between looks for threads that have ended

Diagnostic failure(const std::string& path, const std::string& why, std::string hint = {}) {
  return {.message = fmt::format("cannot serve at '{}': {}", path, why),
          .hint = std::move(hint),
          .code = "socket"};
}

/// A descriptor, closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int get() const { return number_; }

 private:
  int number_;
};

int new_socket() { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return failure(
        path, fmt::format("a socket's path has 1 to {} characters", sizeof address.sun_path - 1));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// Removes a socket that a server left which is no more.
Status free_path(const std::string& path, const sockaddr_un& address) {
  struct stat seen = {};
  if (::lstat(path.c_str(), &seen) != 0) return {};
  if (!S_ISSOCK(seen.st_mode)) return failure(path, "the file is not a socket", "choose another");
  const Descriptor probe(new_socket());
  if (::connect(probe.get(), generic(address), sizeof address) == 0)
    return failure(path, "another server answers there", "stop it, or choose another path");
  ::unlink(path.c_str());
  return {};
}

Status listen_at(const std::string& path, int socket) {
  WL_TRY(const sockaddr_un address, address_of(path));
  WL_TRY_STATUS(free_path(path, address));
  // Nobody can connect before listen(): the mode is right by then.
  if (::bind(socket, generic(address), sizeof address) != 0 ||
      ::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(socket, kBacklog) != 0) {
    return failure(path, std::strerror(errno));
  }
  return {};
}

/// False when the client has gone or does not read.
bool send_line(int socket, std::string text) {
  text += '\n';
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t count = ::send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

/// Closed on the other side, in both directions: nobody waits for an answer.
bool has_gone(int socket) {
  pollfd watched = {socket, 0, 0};
  return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR)) != 0;
}

/// Lines from a socket, none longer than a limit.
class LineReader {
 public:
  LineReader(int socket, size_t most) : socket_(socket), most_(most) {}

  enum class Outcome { kLine, kEnd, kTooLong };
  Outcome read(std::string& line) {
    while (true) {
      const size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos && end <= most_) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        return Outcome::kLine;
      }
      if (std::min(end, buffer_.size()) > most_) return Outcome::kTooLong;
      searched_ = buffer_.size();
      if (!fill()) return Outcome::kEnd;
    }
  }

 private:
  bool fill() {
    const size_t before = buffer_.size();
    buffer_.resize(before + kChunk);
    ssize_t count = 0;
    do {
      count = ::recv(socket_, buffer_.data() + before, kChunk, 0);
    } while (count < 0 && errno == EINTR);
    buffer_.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return count > 0;
  }

  int socket_;
  size_t most_;
  std::string buffer_;
  size_t searched_ = 0;
};

class Server {
 public:
  Server(const ServerOptions& options, const LineFunction& answer)
      : options_(options), answer_(answer), turns_(std::max<ptrdiff_t>(1, options.jobs)) {}

  /// Until `stop` is readable.
  void run(int listener, int stop) {
    while (true) {
      pollfd watched[] = {{stop, POLLIN, 0}, {listener, POLLIN, 0}};
      if (::poll(watched, 2, kSweepMilliseconds) < 0 && errno != EINTR) break;
      sweep();
      if (watched[0].revents != 0) break;
      if (watched[1].revents != 0) accept(listener);
    }
  }

  /// Lines that are being answered are; then every thread ends.
  void finish() {
    is_stopping_ = true;
    for (Client& client : clients_) ::shutdown(client.socket.get(), SHUT_RD);
    for (Client& client : clients_) client.thread.join();
    clients_.clear();
  }

 private:
  struct Client {
    explicit Client(int number) : socket(number) {}
    Descriptor socket;
    std::thread thread = {};
    std::atomic<bool> has_ended = false;
  };

  void sweep() {
    clients_.remove_if([](Client& client) {
      if (!client.has_ended) return false;
      client.thread.join();
      return true;
    });
  }

  void accept(int listener) {
    const int number = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (number < 0) return;
    const timeval patience = {.tv_sec = options_.patience_seconds, .tv_usec = 0};
    ::setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    Client& client = clients_.emplace_back(number);
    if (clients_.size() > options_.most_clients) {
      static_cast<void>(send_line(number, options_.too_many));
      clients_.pop_back();
      return;
    }
    client.thread = std::thread([this, &client] {
      talk(client.socket.get());
      ::shutdown(client.socket.get(), SHUT_RDWR);
      client.has_ended = true;
    });
  }

  void talk(int socket) {
    LineReader reader(socket, options_.most_line_bytes);
    std::string line;
    while (!is_stopping_) {
      const LineReader::Outcome outcome = reader.read(line);
      if (outcome == LineReader::Outcome::kTooLong)
        static_cast<void>(send_line(socket, options_.too_long));
      if (outcome != LineReader::Outcome::kLine) return;
      if (!line.empty() && !answer_one(socket, line)) return;
    }
  }

  bool answer_one(int socket, const std::string& line) {
    turns_.acquire();
    const bool wanted = !is_stopping_ && !has_gone(socket);
    const std::string text = wanted ? answer_(line) : "";
    turns_.release();
    return wanted && send_line(socket, text);
  }

  const ServerOptions& options_;
  const LineFunction& answer_;
  std::counting_semaphore<> turns_;
  std::atomic<bool> is_stopping_ = false;
  std::list<Client> clients_;
};

}  // namespace

Status serve_lines(const ServerOptions& options, const LineFunction& answer, int stop,
                   const std::function<void()>& ready) {
  const Descriptor listener(new_socket());
  if (listener.get() < 0) return failure(options.path, std::strerror(errno));
  WL_TRY_STATUS(listen_at(options.path, listener.get()));
  if (ready) ready();
  Server server(options, answer);
  server.run(listener.get(), stop);
  ::unlink(options.path.c_str());
  server.finish();
  return {};
}

}  // namespace warpledger::serve
