// What is settled before a launch runs: the kernel as ptxas compiles it, its place on the GPU, the
// memory system that it meets.
#pragma once

#include <memory>

#include "warpledger/base/stopwatch.h"
#include "warpledger/memory/memory.h"
#include "warpledger/profile/run/loaded.h"
#include "warpledger/profile/run/machine.h"
#include "warpledger/profile/run/observation.h"
#include "warpledger/sass/witness/witness.h"

namespace warpledger::profile {

/// The kernel as ptxas compiles it.
struct Compiled {
  Resources resources = {};
  std::optional<sass::Witness> witness = {};
  const sass::KernelWitness* kernel = nullptr;
  std::string why_absent = {};
  bool is_what_runs = false;  // the launch runs as machine code, which describes itself
};

/// Asks ptxas, unless the request wants none; what is then not known is assumed and says so.
[[nodiscard]] Compiled compile(const Request& request, const ptx::Function& kernel);

/// Fills the profile's resources, launch and statistics. Fails where the GPU refuses the launch.
[[nodiscard]] Status describe_launch(const Request& request, const exec::KernelLayout& layout,
                                     const Compiled& compiled, Profile& profile);

/// What all orders of one request share.
struct Plan {
  const Request& request;
  const Observation& observation;
  const ptx::Function& kernel;
  const exec::KernelLayout& layout;
  const Compiled& compiled;
  FirstNumbers numbers;
  memory::Config config;

  /// Null when nobody asks where the time goes.
  [[nodiscard]] Stopwatch* watch() const;
  /// Blocks that the GPU holds at once.
  [[nodiscard]] uint64_t wave() const { return uint64_t{config.sms} * config.ctas_per_sm; }
  /// All that the kernel needs is loaded: where it has a cell, that is locked now. Nothing of the
  /// kernel runs before.
  [[nodiscard]] Status lock_cell() const;
  /// The engine's sites as the machine code has them.
  [[nodiscard]] MachineSites sites(const trace::Sites& own) const;
};

/// An engine of the plan's kernel in memory of its own.
[[nodiscard]] Result<std::unique_ptr<Loaded>> load_timed(const Plan& plan,
                                                         const exec::EngineOptions& options);

}  // namespace warpledger::profile
