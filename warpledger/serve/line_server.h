// A Unix socket that answers lines. Each client has a thread, which reads a line, waits for its
// turn, answers and reads on: answers come in the order of a client's lines, and clients are
// answered side by side. What a client may cost is bounded: the length of a line, the number of
// clients, how long an answer waits for a reader.
#pragma once

#include "warpledger/base/result.h"
#include "warpledger/serve/lines.h"

namespace warpledger::serve {

struct ServerOptions {
  std::string path = {};                     // of the socket; only its owner may connect
  uint32_t jobs = 1;                         // lines that are answered at a time
  size_t most_line_bytes = size_t{8} << 20;  // of a request
  uint32_t most_clients = 256;
  uint32_t patience_seconds = 30;  // for a client that does not read its answer
  /// The last line for a client that is sent away.
  std::string too_long = {}, too_many = {};
};

/// Serves until the descriptor `stop` is readable or closed; then no further line is begun, those
/// that are being answered are, and the socket is removed. `ready` is called once clients may
/// connect. Fails if the path is in use: by a file that is not a socket, or by another server.
[[nodiscard]] Status serve_lines(const ServerOptions& options, const LineFunction& answer, int stop,
                                 const std::function<void()>& ready = nullptr);

}  // namespace warpledger::serve
