// Programs that run under us, what becomes of them when somebody interrupts us, and ourselves as
// one.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::cli {

struct ProgramEnd {
  int exit_code = 0;         // its own; 128 + the number of the signal that ended it
  bool interrupted = false;  // SIGINT or SIGTERM came: the code is 128 + that signal's number
};

/// Runs it to its end. SIGINT and SIGTERM are passed on, and it has a few seconds to end by itself:
/// then, or at the second signal, it is killed. `prepare` is called in the new process before it is
/// the program, and gives errno of what failed; 0: nothing did.
[[nodiscard]] Result<ProgramEnd> run_child(const std::string& program,
                                           const std::vector<std::string>& command,
                                           const std::vector<std::string>& variables,
                                           const std::function<int()>& prepare = nullptr);

/// Replaces this process by the program; returns only where that fails.
[[nodiscard]] Diagnostic become(const std::string& program,
                                const std::vector<std::string>& command);

/// The file of this command; empty where the system does not say.
[[nodiscard]] std::filesystem::path own_file();

}  // namespace warpledger::cli
