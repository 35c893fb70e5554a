// The second tier: entries on a server that a fleet shares. Read through, written behind: a lookup
// waits a moment at most, a value is sent by a thread of its own. A server that is slow, gone or
// wrong costs time, never an answer: what it holds is believed only where unpack_entry() says so.
//
//   entry.h       what is sent and believed
//   url.h         where the server is
//   reply.h       what servers answer, as bytes
//   connection.h  a socket with an end
//   protocol.h    a question to a server: HTTP, Redis
//   remote.h      all of it, for store.h
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "warpledger/base/result.h"

namespace warpledger::store {

struct RemoteOptions {
  std::string url = {};     // url.h
  std::string secret = {};  // signs and checks entries; "": they carry a checksum alone
};

struct RemoteStatistics {
  std::string url = {};  // without a password
  bool is_signed = false;
  uint64_t found = 0, absent = 0;
  uint64_t refused = 0;  // entries that were not what was written
  uint64_t sent = 0;
  uint64_t lost = 0;         // values that were not sent: too many waited, or the server failed
  std::string failure = {};  // the last one; "": none
};

/// For several threads.
class Remote {
 public:
  /// Fails with "store-url"; asks the server nothing yet.
  [[nodiscard]] static Result<std::unique_ptr<Remote>> open(const RemoteOptions& options);
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;
  /// Waits a few seconds for what is still to be sent.
  ~Remote();

  /// What was put under the key, if the server has it and it is as it was written.
  [[nodiscard]] std::optional<std::string> find(const std::string& key);

  /// Will be sent, unless too much is waiting.
  void put(const std::string& key, const std::string& value);

  [[nodiscard]] RemoteStatistics statistics() const;

 private:
  class Impl;
  explicit Remote(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace warpledger::store
