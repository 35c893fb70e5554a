// A launch through the memory model in one order: all of its blocks, or a sample that stands for
// them, with the caches as they are or as another launch left them.
#pragma once

#include <memory>
#include <optional>

#include "warpledger/memory/cache_tracer.h"
#include "warpledger/profile/run/plan.h"
#include "warpledger/profile/sampling/census.h"
#include "warpledger/profile/sampling/sampling.h"

namespace warpledger::profile {

/// A part of the grid that stands for all of it.
struct Sample {
  Census census;
  SamplingPlan plan;
};

/// Nothing where all of the grid is to be run. Post: `loaded` is as it was.
[[nodiscard]] Result<std::optional<Sample>> choose_sample(const Plan& plan,
                                                          const exec::EngineOptions& options,
                                                          const trace::Sites& sites,
                                                          std::unique_ptr<Loaded>& loaded);

/// Where caches are not flushed: what runs before.
struct Earlier {
  std::unique_ptr<Loaded> loaded = {};
  std::unique_ptr<Probe> probe = {};
};

[[nodiscard]] Result<Earlier> load_earlier(const Plan& plan, const exec::EngineOptions& options,
                                           const trace::Sites& sites);

/// The launch through the memory model; all of it, or the sample, made whole.
[[nodiscard]] Result<Estimate> replay(const Plan& plan, trace::Producer& producer,
                                      const memory::Schedule& schedule,
                                      const std::optional<Sample>& sample, trace::Producer* before,
                                      memory::CacheTracer* tracer = nullptr);

/// All of that once more, in another order.
[[nodiscard]] Result<Estimate> run_order(const Plan& plan, const memory::Schedule& schedule);

}  // namespace warpledger::profile
