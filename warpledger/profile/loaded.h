// A launch in memory of its own, with an engine to run it: every run of a request starts from the
// same bytes.
#pragma once

#include <memory>

#include "warpledger/profile/probe.h"
#include "warpledger/profile/run.h"

namespace warpledger::profile {

struct Loaded {
  exec::DeviceMemory memory;
  std::optional<exec::Image> image;
  exec::Launch launch;
  std::unique_ptr<exec::Engine> engine;
};

[[nodiscard]] Result<std::unique_ptr<Loaded>> load(const Request& request,
                                                   const ptx::Function& kernel,
                                                   exec::EngineOptions options);

/// After the engine has run some of the launch: the launch as it was before, with a new engine.
[[nodiscard]] Status reload(const Request& request, const ptx::Function& kernel,
                            const exec::EngineOptions& options, std::unique_ptr<Loaded>& loaded);

/// The allocations of the launch.
[[nodiscard]] std::vector<NamedRange> ranges_of(const exec::DeviceMemory& memory);

/// Calls attempt(options), and again where the engine finds on its way that it needs values or the
/// interpreter: every attempt starts from memory of its own.
template <class Attempt>
auto persist(exec::EngineOptions options, Attempt attempt) -> decltype(attempt(options)) {
  for (;;) {
    auto done = attempt(options);
    if (done.ok()) return done;
    const std::string& code = done.error().code;
    if (code == exec::kValuesNeeded && options.values != exec::Values::kOn) {
      options.values = exec::Values::kOn;
    } else if (code == exec::kNeedsInterpreter && options.engine == exec::EngineChoice::kAuto) {
      options.engine = exec::EngineChoice::kReference;
    } else {
      return done;
    }
  }
}

}  // namespace warpledger::profile
