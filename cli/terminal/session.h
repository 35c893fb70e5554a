// cli/: the command line. Each command parses options, calls the library and prints what it
// answers; nothing here computes. main.cpp is the table of contents, one file holds one command.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "warpledger/base/diagnostic.h"

namespace warpledger::cli {

enum ExitCode : int {
  kDone = 0,
  kGateFailed = 1,   // --fail-if or a budget was broken
  kBadInput = 2,     // usage, or a file that cannot be read
  kInternalBug = 70  // ours
};

/// What a command may use of the outside world.
struct Session {
  std::ostream& out;
  std::ostream& err;
  bool color = false;  // decided once: --color, NO_COLOR, TERM, a terminal
  bool quiet = false;  // -q: no remarks, no progress
  int exit_code = kDone;
  std::vector<std::string> program = {};  // `profile ./app arguments`: taken off before parsing
};

/// Prints the diagnostic and sets the exit code to kBadInput.
void fail(Session& session, const Diagnostic& diagnostic);

/// A new command of `app` with its example lines, which stand first in its help.
Command add_command(Command& app, const std::string& name, const std::string& summary,
                    const std::string& examples);

}  // namespace warpledger::cli
