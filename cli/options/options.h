// The option table as data: what help, completion and suggestions are made from. CLI11's App is the
// one table; these functions read it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace warpledger::cli {

/// "warpledger gpus" for that command.
[[nodiscard]] std::string command_path(const CLI::App& app);

[[nodiscard]] std::vector<std::string> command_names(const CLI::App& app);

/// "-q", "--quiet", "--format" ...; of the command alone, not of those below it.
[[nodiscard]] std::vector<std::string> option_names(const CLI::App& app);

[[nodiscard]] std::vector<const CLI::Option*> visible_options(const CLI::App& app);

}  // namespace warpledger::cli
