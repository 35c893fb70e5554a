// Where a remote store is:
//
//   http://[USER:PASSWORD@]HOST[:80][/FOLDER]     GET and PUT of FOLDER/KEY
//   redis://[[USER]:PASSWORD@]HOST[:6379][/DATABASE]
#pragma once

#include <cstdint>
#include <string>

#include "warpledger/base/result.h"

namespace warpledger::store {

struct RemoteUrl {
  enum class Kind : uint8_t { kHttp, kRedis };
  Kind kind = Kind::kHttp;
  std::string user = {}, password = {};
  std::string host = {};  // without the brackets of an IPv6 address
  std::string port = {};
  std::string path = {};  // "/cache/" of HTTP, "2" of Redis
};

/// Fails with "store-url".
[[nodiscard]] Result<RemoteUrl> parse_remote_url(const std::string& text);

/// Whether the text begins as one does.
[[nodiscard]] bool is_remote_url(const std::string& text);

/// Without the password, for people.
[[nodiscard]] std::string to_text(const RemoteUrl& url);

}  // namespace warpledger::store
