// What servers answer, as far as a store asks: pure functions of the bytes that have come so far.
// HTTP/1.1 (RFC 9112) with a length, in chunks or until the end; the Redis protocol (RESP 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpledger::store {

/// Of an answer; what is larger is refused.
inline constexpr size_t kMostReplyBytes = size_t{64} << 20;

enum class Progress : uint8_t {
  kMore,  // it may become an answer
  kDone,
  kBad  // it never will
};

struct HttpReply {
  int status = 0;
  std::string body = {};
  bool may_reuse = false;  // the connection, for the next question
};

/// `has_ended`: the server has closed the connection, no more will come. `reply` is filled where
/// the answer is kDone.
[[nodiscard]] Progress parse_http(std::string_view bytes, bool has_ended, HttpReply& reply);

struct RedisReply {
  std::optional<std::string> value = {};  // a bulk string, a status; nothing: nil
  std::string error = {};                 // "" unless the server refused
};

[[nodiscard]] Progress parse_redis(std::string_view bytes, RedisReply& reply);

}  // namespace warpledger::store
