// The options that name a kernel and what it is launched with, the same for every command that
// runs one: FILE --kernel --grid --block --smem --arg --nvcc --limit --engine.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/session.h"
#include "warpledger/profile/run/query.h"

namespace warpledger::cli {

struct KernelOptions {
  profile::KernelFile file;
  std::string kernel;
  std::vector<uint32_t> grid, block, cluster;
  uint32_t shared = 0;
  uint64_t limit = 0;
  std::vector<std::string> arguments;
  exec::EngineChoice engine = exec::EngineChoice::kAuto;
  exec::Values values = exec::Values::kAuto;
};

/// `required`: without FILE, --kernel, --grid and --block the command line is refused.
void add_kernel_options(Command& command, KernelOptions& options, bool required = true);

/// --values auto|on|off, which each command explains in its own words.
void add_values_option(Command& command, KernelOptions& options, const std::string& meaning);
/// --on-error stop|continue.
void add_on_error_option(Command& command, bool& continues);

/// The refusal of a command that may do without them, but not for what it was asked.
[[nodiscard]] Status require_launch(const KernelOptions& options);

/// x[,y[,z]]; what is missing is 1.
[[nodiscard]] exec::Extent extent_of(const std::vector<uint32_t>& values);
/// --cluster; zeros without it: as the kernel requires.
[[nodiscard]] exec::Extent cluster_of(const KernelOptions& options);

[[nodiscard]] Result<std::vector<exec::Argument>> parse_arguments(const KernelOptions& options);

/// The launch that the options describe, but for how -k is compared.
[[nodiscard]] profile::KernelQuery query_of(const KernelOptions& options);

}  // namespace warpledger::cli
