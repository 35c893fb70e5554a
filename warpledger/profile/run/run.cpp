#include "warpledger/profile/run/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/profile/advice/argument_name.h"
#include "warpledger/profile/advice/guard.h"
#include "warpledger/profile/run/describe.h"
#include "warpledger/profile/run/loaded.h"
#include "warpledger/profile/run/machine.h"
#include "warpledger/profile/run/observation.h"
#include "warpledger/profile/run/races.h"
#include "warpledger/profile/run/resources.h"
#include "warpledger/profile/run/run_statistics.h"
#include "warpledger/profile/sampling/sampling.h"
#include "warpledger/profile/time/model.h"
#include "warpledger/ptx/module.h"
#include "warpledger/race/watch.h"

namespace warpledger::profile {
namespace {

constexpr double kBandDrift = 0.05;  // how far the further orders of a band let CTAs drift

Launch launch_of(const Request& request, const Resources& resources) {
  Launch launch{.registers_per_thread = resources.registers,
                .static_smem_bytes = resources.static_shared_bytes,
                .dynamic_smem_bytes = request.dynamic_shared_bytes,
                .barriers = std::max<int64_t>(1, resources.barriers),
                .cache = request.cache,
                .carveout_kib = request.carveout_kib};
  for (size_t i = 0; i < 3; ++i) {
    launch.grid[i] = request.grid[i];
    launch.block[i] = request.block[i];
  }
  return launch;
}

/// The kernel as ptxas compiles it.
struct Compiled {
  Resources resources = {};
  std::optional<sass::Witness> witness = {};
  const sass::KernelWitness* kernel = nullptr;
  std::string why_absent = {};
};

Compiled assume(std::string why) {
  Compiled compiled{.why_absent = why};
  compiled.resources = {
      .registers = kAssumedRegisters, .barriers = 1, .source = fmt::format("assumed: {}", why)};
  return compiled;
}

/// A module for sm_90a is for that very architecture; others run on every later one.
std::string architecture_of(const Request& request) {
  return request.module.target.variant ? sass::default_arch(request.module)
                                       : request.gpu.architecture.id;
}

Compiled compile(const Request& request, const ptx::Function& kernel) {
  if (!request.witness) return assume(std::string(kNoWitness));
  const std::string arch = architecture_of(request);
  const Result<Resources> resources = compile_resources(request.module, kernel, arch);
  if (!resources) return assume(resources.error().message);
  Compiled compiled{.resources = *resources};
  Result<sass::Witness> witness = sass::witness(request.module, arch);
  if (!witness) {
    compiled.why_absent = witness.error().message;
    return compiled;
  }
  compiled.witness = *std::move(witness);
  compiled.kernel = compiled.witness->find(kernel.name);
  return compiled;
}

Status describe_launch(const Request& request, const exec::KernelLayout& layout,
                       const Compiled& compiled, Profile& profile) {
  profile.resources = compiled.resources;
  profile.no_machine = compiled.why_absent;
  profile.resources.static_shared_bytes = static_cast<int64_t>(layout.static_shared_bytes);
  if (request.registers) {
    profile.resources.registers = *request.registers;
    profile.resources.fidelity = Fidelity::kExact;
    profile.resources.source = "given";
  }
  profile.launch = launch_of(request, profile.resources);
  WL_TRY(profile.statistics, launch_statistics(request.gpu, profile.launch));
  return {};
}

Stopwatch* watch_of(const Observation& observation) {
  return observation.statistics ? &observation.statistics->watch : nullptr;
}

Compiled compile_timed(const Request& request, const ptx::Function& kernel,
                       const Observation& observation) {
  const Stopwatch::Phase timed(watch_of(observation), phase::kMachineCode);
  return compile(request, kernel);
}

/// What all orders of one request share.
struct Plan {
  const Request& request;
  const Observation& observation;
  const ptx::Function& kernel;
  const exec::KernelLayout& layout;
  const Compiled& compiled;
  FirstNumbers numbers;
  memory::Config config;

  [[nodiscard]] Stopwatch* watch() const { return watch_of(observation); }
  /// Blocks that the GPU holds at once.
  [[nodiscard]] uint64_t wave() const { return uint64_t{config.sms} * config.ctas_per_sm; }
  [[nodiscard]] MachineSites sites(const trace::Sites& own) const {
    if (compiled.kernel) return machine_sites(own, *compiled.kernel, numbers);
    return {own, std::vector<std::string>(own.size())};
  }
};

Result<std::unique_ptr<Loaded>> load_timed(const Plan& plan, const exec::EngineOptions& options) {
  const Stopwatch::Phase timed(plan.watch(), phase::kCode);
  return load(plan.request, plan.kernel, options);
}

/// A part of the grid that stands for all of it.
struct Sample {
  Census census;
  SamplingPlan plan;
};

constexpr uint32_t kFirstLook = 27, kDelegates = 128;

/// Nothing where all of the grid is to be run. Post: `loaded` is as it was.
Result<std::optional<Sample>> choose_sample(const Plan& plan, const exec::EngineOptions& options,
                                            const trace::Sites& sites,
                                            std::unique_ptr<Loaded>& loaded) {
  const Request& request = plan.request;
  const Stopwatch::Phase timed(plan.watch(), phase::kPilot);
  const uint64_t ctas = loaded->engine->launch().ctas();
  std::optional<Sample> none;
  const bool all_must_run = request.sampling.exact || !request.policy.flush_caches ||
                            request.placed != nullptr || request.after;
  if (all_must_run || !may_sample(ctas, plan.wave()) ||
      loaded->engine->freedom() == trace::Freedom::kOrdered) {
    return none;
  }
  WL_TRY(Census census,
         take_census(*loaded->engine, sites, choose_delegates(request.grid, kFirstLook)));
  WL_TRY_STATUS(reload(request, plan.kernel, options, loaded));
  if (census.seconds() <= request.sampling.budget_seconds) return none;
  WL_TRY(census, take_census(*loaded->engine, sites, choose_delegates(request.grid, kDelegates)));
  WL_TRY_STATUS(reload(request, plan.kernel, options, loaded));
  std::optional<SamplingPlan> chosen =
      plan_sampling(ctas, plan.wave(), census, request.sampling, room_of(plan.config.l2));
  if (!chosen) return none;
  return std::optional(Sample{std::move(census), *std::move(chosen)});
}

/// Where caches are not flushed: what runs before.
struct Earlier {
  std::unique_ptr<Loaded> loaded = {};
  std::unique_ptr<Probe> probe = {};
};

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

/// The launch through the memory model; all of it, or the sample, made whole.
Result<Estimate> replay(const Plan& plan, trace::Producer& producer,
                        const memory::Schedule& schedule, const std::optional<Sample>& sample,
                        trace::Producer* before, memory::CacheTracer* tracer = nullptr) {
  const Stopwatch::Phase timed(plan.watch(), phase::kRun);
  memory::ReplayOptions how{.threads = plan.request.threads, .before = before, .tracer = tracer};
  std::optional<Recorder> recorder;
  if (sample) {
    how.itinerary = sample->plan.itinerary;
    how.epoch_visits = sample->plan.epoch_visits;
    recorder.emplace(sample->plan);
  }
  const uint64_t all = sample ? memory::ctas_of(how.itinerary) : producer.launch().ctas();
  if (recorder || plan.request.progress) {
    how.observer = [&](memory::View& view) {
      if (recorder) recorder->look(view);
      if (plan.request.progress) plan.request.progress(view.started(), all);
    };
  }
  WL_TRY(memory::Counters counters, memory::replay(producer, plan.config, schedule, how));
  if (!sample) return Estimate{.counters = std::move(counters)};
  return estimate_whole(recorder->take(std::move(counters)), *producer.launch().sites,
                        sample->census, room_of(plan.config.l2));
}

Result<Estimate> run_order(const Plan& plan, const memory::Schedule& schedule) {
  return run_with_fallback(
      plan.request, [&](const exec::EngineOptions& options) -> Result<Estimate> {
        WL_TRY(auto loaded, load_timed(plan, options));
        const trace::Sites sites = plan.sites(*loaded->engine->launch().sites).sites;
        WL_TRY(const auto sample, choose_sample(plan, options, sites, loaded));
        Probe probe(*loaded->engine, {}, sites);
        WL_TRY(const Earlier earlier, load_earlier(plan, options, sites));
        return replay(plan, probe, schedule, sample, earlier.probe.get());
      });
}

void describe_execution(const Plan& plan, exec::Engine& engine, const std::optional<Sample>& sample,
                        Profile& profile) {
  const ptx::Module& module = plan.request.module;
  const auto functions = functions_of(module, plan.layout);
  profile.code =
      code_of(module, functions, sample ? sample->census.code : engine.instruction_counts());
  profile.source_folder = source_folder_of(module, functions);
  profile.execution = execution_of(sample ? sample->census.statistics : engine.statistics());
  profile.execution.shuffles = executions_of(module, functions, profile.code, ptx::Op::kShfl);
  profile.execution.thread_index_reads =
      profile.execution.warps * thread_index_components(functions);
  if (plan.compiled.kernel) {
    profile.machine = count_machine(module, *plan.compiled.kernel, plan.numbers, profile.code,
                                    profile.execution.divergent_branches > 0, profile.program);
  }
  const double lanes = static_cast<double>(profile.statistics.threads) /
                       static_cast<double>(std::max<uint64_t>(1, profile.execution.warps));
  for (const auto& [function, first] : plan.numbers) {
    find_guards(module, module.functions[function], first, lanes, profile.code);
  }
  profile.engine = engine.compiled() ? "compiled" : "interpreted";
  if (!engine.why_not().empty()) profile.engine += ": " + engine.why_not();
  profile.output = engine.take_output();
  profile.compile_seconds = engine.compile_seconds();
}

/// Batches of a warp: those of the watched accesses, scaled to all.
double batches_of(const Probe& probe, const Profile& profile) {
  uint64_t accesses = 0;
  for (const memory::SiteCounters& site : profile.counters.sites) accesses += site.request.requests;
  const auto warps = static_cast<double>(std::max<uint64_t>(1, profile.execution.warps));
  return probe.batches_per_access() * static_cast<double>(accesses) / warps;
}

void describe_sites(const MachineSites& sites, const std::vector<NamedRange>& ranges,
                    Profile& profile) {
  profile.arrays.clear();
  profile.instructions.clear();
  for (const NamedRange& range : ranges) {
    profile.arrays.push_back({range.name, range.bytes, range.is_host});
  }
  for (size_t i = 0; i < sites.sites.size(); ++i) {
    profile.instructions.push_back({.site = sites.sites[i], .fate = sites.fates[i]});
  }
}

/// Arguments without a name of the user's have the kernel's.
std::vector<NamedRange> named_ranges(const Plan& plan, const exec::DeviceMemory& memory) {
  std::vector<NamedRange> ranges = ranges_of(memory, plan.request.placed);
  if (plan.request.placed != nullptr) return ranges;
  const std::vector<std::string> names = argument_names(plan.request.module, plan.kernel);
  for (NamedRange& range : ranges) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (range.name != fmt::format("arg{}", i + 1)) continue;
      range.name = names[i];
      break;
    }
  }
  return ranges;
}

/// Every block where races are asked for; else `blocks`, so that looking costs little.
race::Options race_options(const Plan& plan, const std::set<uint64_t>& blocks, RaceCheck& races) {
  const Request& request = plan.request;
  races = {.shared = request.check_races || request.check_global, .global = request.check_global};
  if (races.shared) {
    races.unchecked = why_unchecked(request.module, plan.layout,
                                    exec::cluster_of(plan.kernel, {.cluster = request.cluster}));
  }
  races.shared &= races.unchecked.empty();
  race::Options options{.shared = races.shared, .global = races.global};
  if (!request.check_global) options.blocks = blocks;
  return options;
}

/// The code is described before it runs here: the tracer asks only where instructions come from.
Result<memory::CacheTracer> make_tracer(const Plan& plan, const trace::Sites& sites) {
  const Request& request = plan.request;
  const auto functions = functions_of(request.module, plan.layout);
  return make_tracer(*plan.observation.trace, request.gpu, request.file,
                     code_of(request.module, functions, {}), sites);
}

/// The default order, watched.
Status run_watched(const Plan& plan, const exec::EngineOptions& options, Profile& profile) {
  const Request& request = plan.request;
  const Observation& seen = plan.observation;
  WL_TRY(auto loaded, load_timed(plan, options));
  const MachineSites sites = plan.sites(*loaded->engine->launch().sites);
  std::optional<memory::CacheTracer> tracer;
  if (seen.trace) {
    WL_TRY(tracer, make_tracer(plan, sites.sites));
  }
  WL_TRY(const auto sample, choose_sample(plan, options, sites.sites, loaded));
  const std::vector<NamedRange> ranges = named_ranges(plan, loaded->image->memory());
  describe_sites(sites, ranges, profile);
  const memory::Itinerary itinerary = sample ? sample->plan.itinerary : memory::Itinerary{};
  const std::set<uint64_t> watched = spread_blocks(itinerary, loaded->engine->launch().ctas());
  race::Watch races(*loaded->engine, race_options(plan, watched, profile.races));
  Probe probe(races, ranges, sites.sites, watched);
  WL_TRY(const Earlier earlier, load_earlier(plan, options, sites.sites));
  TimedProducer timed(probe);
  trace::Producer& producer = seen.statistics ? static_cast<trace::Producer&>(timed) : probe;
  WL_TRY(Estimate whole, replay(plan, producer, request.policy.schedule, sample,
                                earlier.probe.get(), tracer ? &*tracer : nullptr));
  if (seen.statistics) seen.statistics->note(*loaded->engine, options.code_folder, timed);
  if (tracer) seen.traced(describe_trace(*seen.trace, *tracer, ranges));
  const Stopwatch::Phase described(plan.watch(), phase::kModel);
  profile.counters = std::move(whole.counters);
  profile.other_orders = std::move(whole.replicates);
  profile.sampled.reset();
  if (sample) {
    profile.sampled = {.simulated = memory::ctas_of(itinerary),
                       .counted = sample->census.counted,
                       .exact_seconds = sample->census.seconds()};
  }
  describe_execution(plan, *loaded->engine, sample, profile);
  for (uint32_t i = 0; i < profile.instructions.size(); ++i) {
    profile.instructions[i].arrays = probe.arrays_of(i);
    profile.instructions[i].run_bytes = probe.run_bytes_of(i);
  }
  const race::Report report = races.report();
  profile.races.blocks = report.blocks;
  profile.races.left_alone = report.left_alone;
  profile.races.found = describe_races(
      report, {request.module, plan.layout, loaded->engine->launch(), ranges, profile.code});
  profile.samples = probe.samples(profile);
  profile.examples = probe.examples(profile.counters);
  profile.execution.batches = batches_of(probe, profile);
  const bool has_values = loaded->engine->watch() == nullptr;
  if (request.after && has_values) request.after(loaded->arguments, *loaded->memory);
  return {};
}

}  // namespace

Result<Profile> run(const Request& request) { return run(request, Observation{}); }

Result<Profile> run(const Request& request, const Observation& observation) {
  WL_TRY(const ptx::Function* kernel, exec::find_kernel(request.module, request.kernel));
  WL_TRY(const exec::KernelLayout layout, exec::lay_out(request.module, *kernel));
  Profile profile{.file = request.file,
                  .kernel = std::string(kernel->name),
                  .gpu_request = request.gpu_request,
                  .gpu = request.gpu,
                  .policy = request.policy};
  const Compiled compiled = compile_timed(request, *kernel, observation);
  WL_TRY_STATUS(describe_launch(request, layout, compiled, profile));
  WL_TRY(const memory::Config config, memory::configure(request.gpu, profile.launch));
  const Plan plan{request, observation, *kernel,
                  layout,  compiled,    first_numbers(request.module, layout),
                  config};
  WL_TRY_STATUS(run_with_fallback(request, [&](const exec::EngineOptions& options) {
    return run_watched(plan, options, profile);
  }));
  {
    const Stopwatch::Phase timed(plan.watch(), phase::kModel);
    profile.timing = time::estimate({profile, profile.counters});
  }
  for (uint32_t i = 1; i < request.orders; ++i) {
    memory::Schedule schedule = request.policy.schedule;
    schedule.seed += i;
    schedule.drift = std::max(schedule.drift, kBandDrift);
    WL_TRY(Estimate whole, run_order(plan, schedule));
    profile.other_orders.push_back(std::move(whole.counters));
  }
  return profile;
}

}  // namespace warpledger::profile
