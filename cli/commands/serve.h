// `warpledger serve`, and `profile --batch`: requests as lines of JSON.
#pragma once

#include "cli/terminal/session.h"

namespace warpledger::cli {

struct BatchOptions {
  std::string file = {};  // "-": standard input
  uint32_t jobs = 0;      // 0: as many as there are processors
  bool store = true;
  double seconds = 120;  // of one request
  bool isolate = true;
};

/// Answers each line of the file on session.out, in their order. Errors are answers too.
[[nodiscard]] Status answer_batch(Session& session, const BatchOptions& options);

void add_serve(Command& app, Session& session);

}  // namespace warpledger::cli
