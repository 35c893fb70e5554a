#include "warpledger/store/remote/connection.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace warpledger::store {
namespace {

constexpr size_t kChunk = size_t{64} << 10;
constexpr size_t kSlack = size_t{128} << 10;  // of an answer: its head and the lines of chunks

Diagnostic failure(const std::string& why) {
  return {.message = fmt::format("the remote store does not answer: {}", why),
          .code = "store-remote"};
}

/// Whether the socket is ready for `events` before `end`.
bool wait_for(int socket, short events, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    pollfd watched = {socket, events, 0};
    const int ready =
        ::poll(&watched, 1, static_cast<int>(std::min<int64_t>(left.count(), 60'000)));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

/// A socket that is connected, or -1 and errno.
int connect_to(const addrinfo& where, Clock::time_point end) {
  const int socket = ::socket(where.ai_family, where.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                              where.ai_protocol);
  if (socket < 0) return -1;
  int fault = ::connect(socket, where.ai_addr, where.ai_addrlen) == 0 ? 0 : errno;
  if (fault == EINPROGRESS) {
    socklen_t size = sizeof fault;
    fault = ETIMEDOUT;
    if (wait_for(socket, POLLOUT, end)) ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &fault, &size);
  }
  if (fault == 0) return socket;
  ::close(socket);
  errno = fault;
  return -1;
}

}  // namespace

Status Connection::open(const std::string& host, const std::string& port, Clock::time_point end) {
  close();
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int fault = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found); fault != 0)
    return failure(fmt::format("{}: {}", host, gai_strerror(fault)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, &freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr && socket_ < 0; each = each->ai_next)
    socket_ = connect_to(*each, end);
  if (socket_ < 0) return failure(fmt::format("{}:{}: {}", host, port, std::strerror(errno)));
  const int yes = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return {};
}

void Connection::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Status Connection::send(std::string_view bytes, Clock::time_point end) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket_, POLLOUT, end)) return failure("it takes too long");
    } else if (errno != EINTR) {
      return failure(std::strerror(errno));
    }
  }
  return {};
}

Status Connection::receive(const std::function<Progress(std::string_view, bool)>& parse,
                           Clock::time_point end) {
  std::string bytes;
  while (true) {
    const size_t before = bytes.size();
    bytes.resize(before + kChunk);
    const ssize_t count = ::recv(socket_, bytes.data() + before, kChunk, 0);
    const int fault = count < 0 ? errno : 0;
    bytes.resize(before + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (fault == EAGAIN && !wait_for(socket_, POLLIN, end)) return failure("it takes too long");
    if (fault == EAGAIN || fault == EINTR) continue;
    if (fault != 0) return failure(std::strerror(fault));
    const Progress progress = parse(bytes, count == 0);
    if (progress == Progress::kDone) return {};
    if (progress == Progress::kBad || count == 0 || bytes.size() > kMostReplyBytes + kSlack)
      return failure("its answer cannot be read");
  }
}

}  // namespace warpledger::store
