// One question to a server: the bytes under a key, or new bytes for it. A connection is kept for
// the next question where the server allows it.
#pragma once

#include <optional>
#include <string>

#include "warpledger/store/remote/connection.h"
#include "warpledger/store/remote/url.h"

namespace warpledger::store {

class Protocol {
 public:
  explicit Protocol(RemoteUrl url) : url_(std::move(url)) {}

  /// Nothing where the server has none.
  [[nodiscard]] Result<std::optional<std::string>> get(const std::string& key,
                                                       Clock::time_point end);
  [[nodiscard]] Status put(const std::string& key, const std::string& bytes, Clock::time_point end);

 private:
  [[nodiscard]] Status connect(Clock::time_point end);
  /// AUTH, SELECT: over the connection as it is.
  [[nodiscard]] Status greet(const std::string& command, Clock::time_point end);
  [[nodiscard]] Result<RedisReply> ask_redis(const std::string& question, Clock::time_point end);
  /// Sends the question and reads the answer; closes the connection where that fails.
  template <class Reply, class Parse>
  [[nodiscard]] Result<Reply> ask_once(const std::string& question, Clock::time_point end,
                                       Parse parse);
  /// The same, connected first; once more where a connection from before has been closed.
  template <class Reply, class Parse>
  [[nodiscard]] Result<Reply> ask(const std::string& question, Clock::time_point end, Parse parse);
  [[nodiscard]] Result<HttpReply> ask_http(const std::string& question, Clock::time_point end);
  [[nodiscard]] std::string http_head(const char* method, const std::string& key) const;

  RemoteUrl url_;
  Connection connection_;
};

}  // namespace warpledger::store
