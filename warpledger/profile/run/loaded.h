// A launch with an engine to run it. It has memory of its own, so that every run of a request
// starts from the same bytes; or is where somebody has placed it, and is run once.
#pragma once

#include <memory>

#include "warpledger/base/fallback.h"
#include "warpledger/exec/decode/image.h"
#include "warpledger/exec/memory/poison.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/profile/sampling/probe.h"

namespace warpledger::profile {

struct Loaded {
  Loaded() = default;
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded();

  std::optional<exec::DeviceMemory> memory;  // these two: absent where the request is placed
  std::optional<exec::Image> own;
  exec::Image* image = nullptr;
  std::vector<exec::Argument> arguments;
  exec::Launch launch;
  std::unique_ptr<exec::Engine> engine;
  std::shared_ptr<exec::ValueWatch> discards;  // of a launch whose writes nobody reads
  bool may_keep_stores = false;                // such a launch, in spite of running without values
  bool has_ended = false;                      // else it leaves no poison either
};

[[nodiscard]] Result<std::unique_ptr<Loaded>> load(const Request& request,
                                                   const ptx::Function& kernel,
                                                   exec::EngineOptions options);

/// After the engine has run some of the launch: the launch as it was before, with a new engine.
/// Pre: it is not placed, or runs without values.
[[nodiscard]] Status reload(const Request& request, const ptx::Function& kernel,
                            const exec::EngineOptions& options, std::unique_ptr<Loaded>& loaded);

/// The allocations of the launch, by the names that `placed` gives them where it does.
[[nodiscard]] std::vector<NamedRange> ranges_of(const exec::DeviceMemory& memory,
                                                const Placed* placed);

/// What may be done about a refused attempt with `options`: they are changed then, and a placed
/// launch's memory is as it was before.
[[nodiscard]] std::vector<FallbackWay> fallbacks(const Request& request,
                                                 exec::EngineOptions& options);

/// Calls attempt(options), and again where the engine finds on its way that it needs values or the
/// interpreter: every attempt starts from memory of its own, or, where the request is placed, from
/// what was there before. Where that cannot be kept there is one attempt, with the engine that
/// cannot fail so.
template <class Attempt>
auto run_with_fallback(const Request& request, Attempt attempt)
    -> decltype(attempt(request.engine)) {
  exec::EngineOptions options = request.engine;
  options.may_begin_again = request.placed == nullptr || request.placed->may_begin_again;
  options.compile_machine_code = options.may_begin_again;
  return warpledger::run_with_fallback(fallbacks(request, options),
                                       [&] { return attempt(options); });
}

}  // namespace warpledger::profile
