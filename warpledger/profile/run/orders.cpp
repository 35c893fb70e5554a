#include "warpledger/profile/run/orders.h"

#include "warpledger/profile/run/run_statistics.h"
#include "warpledger/profile/sampling/prefix.h"

namespace warpledger::profile {
namespace {

constexpr uint32_t kFirstLook = 27;

/// What a placed launch writes stays, unless nobody reads it and it runs without values.
bool keeps_writes(const Request& request, const exec::Engine& engine) {
  if (request.placed == nullptr) return request.after != nullptr;
  return !request.placed->discards || engine.watch() == nullptr;
}

/// The CTAs that run together, one after the other in the grid's order; nothing where they are not.
std::optional<uint32_t> cluster_of(const Plan& plan) {
  const exec::Extent cluster = exec::cluster_of(plan.kernel, {.cluster = plan.request.cluster});
  if (cluster[1] != 1 || cluster[2] != 1) return {};
  return cluster[0];
}

/// What was planned in clusters, in CTAs.
void count_in_ctas(SamplingPlan& plan, uint32_t cluster) {
  plan.cold *= cluster;
  for (memory::Stretch& stretch : plan.itinerary) stretch.first *= cluster, stretch.end *= cluster;
  for (auto& [begin, end] : plan.windows) begin *= cluster, end *= cluster;
}

}  // namespace

Result<std::optional<Sample>> choose_sample(const Plan& plan, const exec::EngineOptions& options,
                                            const trace::Sites& sites,
                                            std::unique_ptr<Loaded>& loaded) {
  const Request& request = plan.request;
  const Stopwatch::Phase timed(plan.watch(), phase::kPilot);
  const uint64_t ctas = loaded->engine->launch().ctas();
  const std::optional<uint32_t> cluster = cluster_of(plan);
  std::optional<Sample> none;
  const bool all_must_run = request.sampling.exact || !request.policy.flush_caches ||
                            keeps_writes(request, *loaded->engine);
  if (all_must_run || !may_sample(ctas, plan.wave(), request.sampling) ||
      loaded->engine->freedom() == trace::Freedom::kOrdered || !cluster) {
    return none;
  }
  const exec::Extent grid = {request.grid[0] / *cluster, request.grid[1], request.grid[2]};
  WL_TRY(Census census,
         take_census(*loaded->engine, sites, choose_delegates(grid, kFirstLook), *cluster));
  WL_TRY_STATUS(reload(request, plan.kernel, options, loaded));
  if (census.seconds() <= request.sampling.max_seconds) return none;
  if (request.sampling.delegates > kFirstLook) {
    const auto delegates = choose_delegates(grid, request.sampling.delegates);
    WL_TRY(census, take_census(*loaded->engine, sites, delegates, *cluster));
    WL_TRY_STATUS(reload(request, plan.kernel, options, loaded));
  }
  std::optional<SamplingPlan> chosen =
      plan_sampling(ctas / *cluster, (plan.wave() + *cluster - 1) / *cluster, census,
                    request.sampling, room_of(plan.config.l2));
  if (!chosen) return none;
  count_in_ctas(*chosen, *cluster);
  return std::optional(Sample{std::move(census), *std::move(chosen)});
}

Result<Earlier> load_earlier(const Plan& plan, const exec::EngineOptions& options,
                             const trace::Sites& sites) {
  Earlier earlier;
  if (plan.request.policy.flush_caches) return earlier;
  const std::vector<NamedRange> none;
  if (const Request* before = plan.request.before) {
    WL_TRY(const ptx::Function* kernel, exec::find_kernel(before->module, before->kernel));
    WL_TRY(earlier.loaded, load(*before, *kernel, options));
    const trace::Sites own = *earlier.loaded->engine->launch().sites;
    earlier.probe = std::make_unique<Probe>(*earlier.loaded->engine, none, own);
    return earlier;
  }
  WL_TRY(earlier.loaded, load(plan.request, plan.kernel, options));
  earlier.probe = std::make_unique<Probe>(*earlier.loaded->engine, none, sites);
  return earlier;
}

Result<Estimate> replay(const Plan& plan, trace::Producer& producer,
                        const memory::Schedule& schedule, const std::optional<Sample>& sample,
                        trace::Producer* before, memory::CacheTracer* tracer) {
  const Stopwatch::Phase timed(plan.watch(), phase::kRun);
  memory::ReplayOptions how{.threads = plan.request.threads, .before = before, .tracer = tracer};
  const L2Room room = room_of(plan.config.l2);
  std::optional<Recorder> recorder;
  std::optional<Prefix> prefix;
  if (sample) {
    how.itinerary = sample->plan.itinerary;
    how.epoch_visits = sample->plan.epoch_visits;
    recorder.emplace(sample->plan);
  } else if (!plan.request.sampling.exact) {
    prefix.emplace(prefix_lookups(plan.request.sampling, room));
  }
  const uint64_t all = sample ? memory::ctas_of(how.itinerary) : producer.launch().ctas();
  how.observer = [&](memory::View& view) {
    if (recorder) recorder->look(view);
    if (prefix) prefix->look(view);
    if (plan.request.progress) plan.request.progress(view.started(), all);
  };
  WL_TRY(memory::Counters counters, memory::replay(producer, plan.config, schedule, how));
  const trace::Sites& sites = *producer.launch().sites;
  if (sample) {
    return estimate_whole(recorder->take(std::move(counters)), sites, sample->census, room);
  }
  const auto begun = prefix ? prefix->take(counters) : std::nullopt;
  if (!begun) return Estimate{.counters = std::move(counters)};
  Estimate whole = estimate_whole(*begun, sites, {.sites = std::move(counters.sites)}, room);
  whole.prefix = prefix->note();
  return whole;
}

Result<Estimate> run_order(const Plan& plan, const memory::Schedule& schedule) {
  return run_with_fallback(
      plan.request, [&](const exec::EngineOptions& options) -> Result<Estimate> {
        WL_TRY(auto loaded, load_timed(plan, options));
        const trace::Sites sites = plan.sites(*loaded->engine->launch().sites).sites;
        WL_TRY(const Earlier earlier, load_earlier(plan, options, sites));
        WL_TRY_STATUS(plan.lock_cell());
        WL_TRY(const auto sample, choose_sample(plan, options, sites, loaded));
        Probe probe(*loaded->engine, {}, sites);
        return replay(plan, probe, schedule, sample, earlier.probe.get());
      });
}

}  // namespace warpledger::profile
