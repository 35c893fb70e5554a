// The options that describe a launch: --gpu --grid --block --regs and shared memory, the same for
// every command that takes one.
#pragma once

#include <string>

#include "cli/terminal/session.h"
#include "warpledger/gpu/launch.h"

namespace warpledger::cli {

struct LaunchOptions {
  std::string gpu;
  std::string grid = "1";
  std::string block;
  Launch launch;  // what needs no parsing is written here directly
  std::string prefer = "none";
};

void add_launch_options(Command& command, LaunchOptions& options);

/// "188,250" or "188x250"; missing parts are 1.
[[nodiscard]] Result<Extent> parse_extent(const std::string& option, const std::string& text);

[[nodiscard]] Result<Launch> launch_of(const LaunchOptions& options);

}  // namespace warpledger::cli
