#include "warpledger/profile/run/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "warpledger/profile/advice/argument_name.h"
#include "warpledger/profile/advice/guard.h"
#include "warpledger/profile/run/attempt.h"
#include "warpledger/profile/run/describe.h"
#include "warpledger/profile/run/machine_run.h"
#include "warpledger/profile/run/orders.h"
#include "warpledger/profile/run/races.h"
#include "warpledger/profile/run/resources.h"
#include "warpledger/profile/run/run_statistics.h"
#include "warpledger/profile/run/slow_paths.h"
#include "warpledger/profile/run/spills.h"
#include "warpledger/profile/run/wait_states.h"
#include "warpledger/profile/run/warp_paths.h"
#include "warpledger/profile/sampling/sampling.h"
#include "warpledger/profile/time/model.h"
#include "warpledger/ptx/module.h"
#include "warpledger/race/watch.h"

namespace warpledger::profile {
namespace {

constexpr double kBandDrift = 0.05;  // how far the further orders of a band let CTAs drift

void describe_ptx(const Plan& plan, exec::Engine& engine, const std::optional<Sample>& sample,
                  const sass::Shares& shares, Profile& profile) {
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
    profile.machine =
        count_machine(module, *plan.compiled.kernel, plan.numbers, profile.code,
                      profile.execution.divergent_branches > 0, shares, profile.program);
  }
  const double lanes = static_cast<double>(profile.statistics.threads) /
                       static_cast<double>(std::max<uint64_t>(1, profile.execution.warps));
  for (const auto& [function, first] : plan.numbers) {
    find_guards(module, module.functions[function], first, lanes, profile.code);
  }
}

/// The same of machine code that ran itself, whose lines are there already. What follows from PTX
/// alone (guards) is absent.
void describe_machine_code(const Plan& plan, exec::Engine& engine,
                           const std::optional<Sample>& sample, const sass::KernelWitness& own,
                           Profile& profile) {
  const exec::machine::Listing& listing = *engine.listing();
  set_counts(sample ? sample->census.code : engine.instruction_counts(), profile.code);
  profile.source_folder =
      source_folder_of(plan.request.module, functions_of(plan.request.module, plan.layout));
  profile.execution = execution_of(sample ? sample->census.statistics : engine.statistics());
  profile.execution.shuffles = executions_of(listing, profile.code, "SHFL");
  profile.execution.thread_index_reads = thread_index_reads(listing, profile.code);
  profile.machine =
      count_executed(own, profile.code, profile.execution.divergent_branches > 0, profile.program);
}

/// `own`: the machine code, where that ran; `shares`: of its slow paths, where it did not.
void describe_execution(const Plan& plan, exec::Engine& engine, const std::optional<Sample>& sample,
                        const std::optional<sass::KernelWitness>& own, const sass::Shares& shares,
                        Profile& profile) {
  if (own) {
    describe_machine_code(plan, engine, sample, *own, profile);
    profile.engine = engine.compiled() ? "machine code, compiled" : "machine code, interpreted";
  } else {
    describe_ptx(plan, engine, sample, shares, profile);
    profile.engine = engine.compiled() ? "compiled" : "interpreted";
  }
  if (!engine.why_not().empty()) profile.engine += ": " + engine.why_not();
  profile.output = engine.take_output();
  profile.compile_seconds = engine.compile_seconds();
}

/// The ways of warps through the machine code, where the launch has mbarriers. Pre: the execution
/// is described.
std::optional<sm::Paths> paths_of(const Plan& plan, const exec::Engine& engine,
                                  const std::optional<Sample>& sample, const sass::Shares& shares,
                                  const Profile& profile) {
  const trace::BlockLog* log = !sample              ? engine.block_log()
                               : sample->census.log ? &*sample->census.log
                                                    : nullptr;
  if (plan.compiled.kernel == nullptr || log == nullptr) return {};
  return warp_paths(plan.request.module, *plan.compiled.kernel, plan.numbers, *log,
                    profile.execution.divergent_branches > 0, shares);
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
  if (plan.compiled.is_what_runs) {
    races.unchecked = "the launch ran as machine code";
    races.global = false;
  }
  races.shared &= races.unchecked.empty();
  race::Options options{.shared = races.shared, .global = races.global};
  if (!request.check_global) options.blocks = blocks;
  return options;
}

/// The code is described before it runs here: the tracer asks only where instructions come from.
Result<memory::CacheTracer> make_tracer(const Plan& plan, const exec::Engine& engine,
                                        const trace::Sites& sites) {
  const Request& request = plan.request;
  const auto functions = functions_of(request.module, plan.layout);
  const std::vector<CodeLine> code = engine.listing() != nullptr
                                         ? machine_lines(request, *engine.listing())
                                         : code_of(request.module, functions, {});
  return make_tracer(*plan.observation.trace, request.gpu, request.file, code, sites);
}

/// One run of the default order: the engine, and who looks over its shoulder.
struct Watched {
  std::unique_ptr<Loaded> loaded;
  std::unique_ptr<exec::Engine> machine;  // where slow paths must be seen, in the same memory
  MachineSites sites;
  std::optional<memory::CacheTracer> tracer;
  Earlier earlier;
  std::optional<Sample> sample;
  std::vector<NamedRange> ranges;
  std::unique_ptr<race::Watch> races;
  std::unique_ptr<Probe> probe;
};

Status check_sampled(const Plan& plan, const std::optional<Sample>& sample) {
  Placed* placed = plan.request.placed;
  if (sample || placed == nullptr || !placed->only_sampled) return {};
  placed->needs_all_blocks = true;
  return Diagnostic{.message = "the launch cannot be sampled, or costs too little to be",
                    .code = "not-sampled"};
}

/// `profile.code`: where machine code runs, its lines are read here: ptxas is asked about them.
Result<Watched> watch(const Plan& plan, const exec::EngineOptions& options, Profile& profile) {
  Watched run;
  WL_TRY(run.loaded, load_timed(plan, options));
  run.sites = plan.sites(*run.loaded->engine->launch().sites);
  if (plan.observation.trace) {
    WL_TRY(run.tracer, make_tracer(plan, *run.loaded->engine, run.sites.sites));
  }
  if (run.loaded->engine->listing() != nullptr)
    profile.code = machine_lines(plan.request, *run.loaded->engine->listing());
  WL_TRY(run.earlier, load_earlier(plan, options, run.sites.sites));
  run.machine = open_slow_paths(plan, options, *run.loaded);
  const Loaded* before = run.loaded.get();
  WL_TRY_STATUS(plan.lock_cell());
  WL_TRY(run.sample, choose_sample(plan, options, run.sites.sites, run.loaded));
  WL_TRY_STATUS(check_sampled(plan, run.sample));
  if (run.loaded.get() != before) run.machine.reset();  // its memory is gone
  run.ranges = named_ranges(plan, run.loaded->image->memory());
  const memory::Itinerary itinerary = run.sample ? run.sample->plan.itinerary : memory::Itinerary{};
  const std::set<uint64_t> blocks = spread_blocks(itinerary, run.loaded->engine->launch().ctas());
  run.races =
      std::make_unique<race::Watch>(*run.loaded->engine, race_options(plan, blocks, profile.races));
  const auto detail = plan.request.only_timed ? Probe::Detail::kBatches : Probe::Detail::kAll;
  run.probe = std::make_unique<Probe>(*run.races, run.ranges, run.sites.sites, blocks, detail);
  return run;
}

/// Through the memory model; where asked, with a clock on the producer and a trace of one line.
Result<Estimate> replay(const Plan& plan, const exec::EngineOptions& options, Watched& run,
                        Attempt& made) {
  const Observation& seen = plan.observation;
  if (!run.sample) run.loaded->engine->log_block(run.loaded->engine->launch().ctas() / 2);
  TimedProducer timed(*run.probe);
  trace::Producer& producer = seen.statistics ? static_cast<trace::Producer&>(timed) : *run.probe;
  WL_TRY(Estimate whole, replay(plan, producer, plan.request.policy.schedule, run.sample,
                                run.earlier.probe.get(), run.tracer ? &*run.tracer : nullptr));
  if (seen.statistics) seen.statistics->note(*run.loaded->engine, options.code_folder, timed);
  if (run.tracer) made.trace = describe_trace(*seen.trace, *run.tracer, run.ranges);
  return whole;
}

void describe_counters(const Watched& run, Estimate whole, Profile& profile) {
  profile.counters = std::move(whole.counters);
  profile.other_orders = std::move(whole.replicates);
  profile.prefix = whole.prefix;
  profile.sampled.reset();
  if (!run.sample) return;
  profile.sampled = {.simulated = memory::ctas_of(run.sample->plan.itinerary),
                     .counted = run.sample->census.counted,
                     .exact_seconds = run.sample->census.seconds()};
}

void describe_found_races(const Plan& plan, const Watched& run, Profile& profile) {
  const race::Report report = run.races->report();
  profile.races.blocks = report.blocks;
  profile.races.left_alone = report.left_alone;
  profile.races.found = describe_races(
      report,
      {plan.request.module, plan.layout, run.loaded->engine->launch(), run.ranges, profile.code});
}

/// What the probe saw. Pre: code and counters are described.
void describe_probed(const Probe& probe, Profile& profile) {
  for (uint32_t i = 0; i < profile.instructions.size(); ++i) {
    profile.instructions[i].arrays = probe.arrays_of(i);
    profile.instructions[i].run_bytes = probe.run_bytes_of(i);
  }
  profile.samples = probe.samples(profile);
  profile.examples = probe.examples(profile.counters);
  profile.execution.batches = batches_of(probe, profile);
}

/// What ran.
struct Ran {
  std::optional<sass::KernelWitness> own = {};  // machine code, where that did
  std::optional<sm::Paths> paths = {};
};

/// The default order, watched.
Status run_watched(const Plan& plan, const exec::EngineOptions& options, Attempt& made, Ran& ran) {
  Profile& profile = made.profile;
  WL_TRY(Watched run, watch(plan, options, profile));
  describe_sites(run.sites, run.ranges, profile);
  WL_TRY(Estimate whole, replay(plan, options, run, made));
  run.loaded->has_ended = true;
  const Stopwatch::Phase described(plan.watch(), phase::kModel);
  describe_counters(run, std::move(whole), profile);
  std::optional<sass::KernelWitness>& own = ran.own;
  if (run.loaded->engine->listing() != nullptr) own = own_witness(*run.loaded->engine->listing());
  const bool has_values = run.loaded->engine->watch() == nullptr;
  if (plan.request.after && has_values)
    plan.request.after(run.loaded->arguments, *run.loaded->memory);
  sass::Shares shares;
  if (run.machine != nullptr) shares = see_slow_paths(plan, *run.machine);
  describe_execution(plan, *run.loaded->engine, run.sample, own, shares, profile);
  ran.paths = paths_of(plan, *run.loaded->engine, run.sample, shares, profile);
  describe_found_races(plan, run, profile);
  describe_probed(*run.probe, profile);
  if (!own && plan.compiled.kernel != nullptr)
    add_spills(*plan.compiled.kernel, plan.config, profile);
  return {};
}

Compiled compile_timed(const Request& request, const ptx::Function& kernel,
                       const Observation& observation) {
  RunStatistics* statistics = observation.statistics;
  const Stopwatch::Phase timed(statistics ? &statistics->watch : nullptr, phase::kMachineCode);
  return compile(request, kernel);
}

/// `described`: all that is known before the launch runs.
Result<Attempt> attempt(const Plan& plan, const exec::EngineOptions& options,
                        const Profile& described) {
  Attempt made{.profile = described};
  Ran ran;
  WL_TRY_STATUS(run_watched(plan, options, made, ran));
  const Stopwatch::Phase timed(plan.watch(), phase::kModel);
  Profile& profile = made.profile;
  profile.timing = time::estimate({profile, profile.counters});
  describe_states(ran.own ? &*ran.own : plan.compiled.kernel, ran.paths, profile);
  // A caller without `went_on` reads its own list, which is in this process.
  if (options.limits.bad_accesses != nullptr && plan.observation.went_on)
    made.bad_accesses = options.limits.bad_accesses->take();
  return made;
}

/// An order's counters, as the profile that has them.
Result<Attempt> attempt_order(const Plan& plan, const memory::Schedule& schedule,
                              const Profile& profile) {
  WL_TRY(Estimate whole, run_order(plan, schedule));
  Attempt made{.profile = profile};
  copy_spills(profile, whole.counters);
  made.profile.counters = std::move(whole.counters);
  made.profile.other_orders.clear();
  return made;
}

/// The same launch, interleaved otherwise: the band.
Status run_other_orders(const Plan& plan, Profile& profile) {
  for (uint32_t i = 1; i < plan.request.orders; ++i) {
    memory::Schedule schedule = plan.request.policy.schedule;
    schedule.seed += i;
    schedule.drift = std::max(schedule.drift, kBandDrift);
    WL_TRY(Attempt other,
           run_attempt(plan, [&] { return attempt_order(plan, schedule, profile); }));
    profile.other_orders.push_back(std::move(other.profile.counters));
  }
  return {};
}

}  // namespace

Result<Profile> run(const Request& request) { return run(request, Observation{}); }

Result<Profile> run(const Request& request, const Observation& observation) {
  WL_TRY(const ptx::Function* kernel, exec::find_kernel(request.module, request.kernel));
  WL_TRY(const exec::KernelLayout layout, exec::lay_out(request.module, *kernel));
  WL_TRY_STATUS(check_architecture(request));
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
  WL_TRY(Attempt made, run_with_fallback(request, [&](const exec::EngineOptions& options) {
           return run_attempt(plan, [&] { return attempt(plan, options, profile); });
         }));
  if (made.trace) observation.traced(*std::move(made.trace));
  if (observation.went_on) observation.went_on(std::move(made.bad_accesses));
  made.profile.gpu = request.gpu;
  WL_TRY_STATUS(run_other_orders(plan, made.profile));
  return std::move(made.profile);
}

}  // namespace warpledger::profile
