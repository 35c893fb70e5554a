// A child process: run to its end, both of its streams kept.
#pragma once

#include <string>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::toolchain {

struct ProcessOutput {
  int exit_code = 0;
  std::string out;
  std::string err;
};

/// This process's variables, NAME=value each. Position-dependent code must not name `environ`:
/// linked for an older glibc it would have a copy that nobody sets (decision 013).
[[nodiscard]] std::vector<std::string> environment_variables();

/// What exec and its kin take: pointers to the texts, and a null. Valid while the texts are.
[[nodiscard]] std::vector<char*> c_strings(const std::vector<std::string>& texts);

/// Runs a program with exactly these arguments, no shell, standard input closed. Fails when it
/// cannot be started or was killed by a signal; a non-zero exit is the caller's to judge.
[[nodiscard]] Result<ProcessOutput> run_process(const std::vector<std::string>& arguments);

/// The same, but a non-zero exit is a failure that quotes what the program said.
[[nodiscard]] Result<ProcessOutput> run_tool(const std::vector<std::string>& arguments);

}  // namespace warpledger::toolchain
