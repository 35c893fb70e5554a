// A TCP connection that never waits longer than it was told.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "warpledger/base/result.h"
#include "warpledger/store/remote/reply.h"

namespace warpledger::store {

using Clock = std::chrono::steady_clock;

class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close(); }

  [[nodiscard]] bool is_open() const { return socket_ >= 0; }
  /// Fails with "store-remote", as do the others.
  [[nodiscard]] Status open(const std::string& host, const std::string& port,
                            Clock::time_point end);
  void close();
  [[nodiscard]] Status send(std::string_view bytes, Clock::time_point end);
  /// Reads until parse(bytes so far, whether that was all) is kDone; anything else is a failure.
  [[nodiscard]] Status receive(const std::function<Progress(std::string_view, bool)>& parse,
                               Clock::time_point end);

 private:
  int socket_ = -1;
};

}  // namespace warpledger::store
