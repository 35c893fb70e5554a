// Launches that are profiled: the same run gives the program its values and the models their trace.
#include <fmt/core.h>
#include <unistd.h>

#include <cstring>

#include "interpose/core.h"
#include "warpledger/base/fallback.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/profile/advice/argument_name.h"
#include "warpledger/ptx/module.h"

namespace warpledger::cuda {
namespace {

constexpr uint64_t kMostKeptBytes = uint64_t{4} << 30;  // to begin a launch again from

/// Allocations by the argument that points to them.
std::map<uint64_t, std::string> names_of(const LaunchRequest& request,
                                         const exec::DeviceMemory& memory) {
  std::map<uint64_t, std::string> names;
  const ptx::Module& code = request.kernel->module->code();
  const std::vector<std::string> of_arguments =
      profile::argument_names(code, *request.kernel->function);
  const auto& params = request.kernel->function->signature.params;
  const std::vector<uint64_t> offsets = parameter_offsets(*request.kernel);
  for (size_t i = 0; i < params.size(); ++i) {
    uint64_t value = 0;
    const bool is_address = code.variables[params[i]].bytes() == sizeof value &&
                            offsets[i] + sizeof value <= request.params.size();
    if (!is_address) continue;
    std::memcpy(&value, request.params.data() + offsets[i], sizeof value);
    const exec::Allocation* held = memory.holding(value);
    if (held != nullptr) names.emplace(held->address, of_arguments[i]);
  }
  return names;
}

/// Allocations in host memory.
std::set<uint64_t> host_allocations(const Memory& memory, const exec::DeviceMemory& device) {
  std::set<uint64_t> host;
  for (const auto& [address, allocation] : device.allocations()) {
    const std::optional<Range> range = memory.holding(address);
    if (range && lies_in_host(range->kind) && !allocation.is_free) host.insert(address);
  }
  return host;
}

std::string program_name() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length <= 0 ? "program" : std::string(path, static_cast<size_t>(length));
}

}  // namespace

profile::Request Core::profile_request(const LaunchRequest& request) {
  profile::Request asked{.module = request.kernel->module->code(),
                         .file = program_name(),
                         .kernel = request.kernel->name,
                         .gpu = gpu_,
                         .gpu_request = settings_.gpu};
  asked.grid = request.grid;
  asked.block = request.block;
  asked.cluster = request.cluster;
  asked.dynamic_shared_bytes = request.dynamic_shared_bytes;
  asked.sass = settings_.sass;
  asked.check_global = settings_.check_races;
  if (request.kernel->cache_preference == 1) asked.cache = CachePreference::kShared;
  if (request.kernel->carveout_percent) {
    asked.carveout_kib = gpu_.architecture.shared_memory.bytes_per_sm.value / 1024 *
                         *request.kernel->carveout_percent / 100;
  }
  asked.engine = options();
  asked.sampling = settings_.sampling;
  return asked;
}

Result<profile::Profile> Core::make_profile(const LaunchRequest& request, profile::Request& asked) {
  std::optional<exec::MemorySnapshot> before;
  bool small = is_small(request);
  if (small && !request.kernel->is_straight) before.emplace(memory_.device());
  if (small) {
    asked.engine.engine = exec::EngineChoice::kReference;
    asked.engine.limits.warp_instructions = kMostInterpreted;
  }
  const auto run_at_length = [&](const Diagnostic&) {
    if (!before) return false;
    before->restore();
    static_cast<void>(bad_accesses_.take());  // they come again
    small = false;
    request.kernel->interpreted = UINT64_MAX / 2;
    const exec::Values values = asked.engine.values;
    asked.engine = options();
    asked.engine.values = values;
    if (settings_.timeout > 0) deadline_.start(settings_.timeout);
    return true;
  };
  return run_with_fallback({{{Fallback::kMoreSteps}, run_at_length}}, [&] {
    Result<profile::Profile> made = profile::run(asked);
    if (made && small) {
      request.kernel->interpreted += made->execution.warp_instructions;
      ++request.kernel->interpreted_launches;
    }
    return made;
  });
}

// Its profile is the report's, unless one of `group` agrees with it.
std::string Core::keep_modeled(const LaunchRequest& request, const profile::Profile& profile,
                               bool report, LaunchGroup* group) {
  ModeledLaunch launch{.params = request.params,
                       .counts = counts_of(profile),
                       .measures = measures_of(profile),
                       .seconds = profile.timing ? profile.timing->seconds() : 0};
  const ModeledLaunch* like = group == nullptr ? nullptr : group->find_alike(launch, report);
  if (report && like == nullptr) {
    launch.profile = add_to_report(request, profile);
  } else if (report) {
    launch.profile = like->profile;
    report_.add_launch(like->profile, filter_.wanted() - 1, ReportWriter::Way::kModel);
  }
  std::string name = launch.profile;
  if (group != nullptr) group->add(std::move(launch), like != nullptr);
  return name;
}

// Lent mappings hold other things of the program, which a copy of memory would put back too.
profile::Placed Core::place(const LaunchRequest& request, uint64_t workspace) {
  return {.image = request.kernel->module->image(),
          .params = request.params,
          .grid_workspace = workspace,
          .names = names_of(request, memory_.device()),
          .may_begin_again = memory_.can_begin_again() && !request.kernel->needs_interpreter &&
                             memory_.bytes_in_use() <= kMostKeptBytes,
          .host = host_allocations(memory_, memory_.device())};
}

Core::Outcome Core::run_modeled(const LaunchRequest& request, uint64_t workspace, bool report,
                                LaunchGroup* group) {
  profile::Placed placed = place(request, workspace);
  profile::Request asked = profile_request(request);
  asked.placed = &placed;
  if (report) asked.progress = progress_.profiling(filter_.wanted() - 1);
  // Lent mappings hold other things of the program too: their bytes say nothing of the launch.
  const bool may_keep = memory_.can_begin_again();
  const std::string key = may_keep ? kept_.key_of(asked, memory_.device()) : "";
  std::optional<profile::Profile> known = kept_.find(key);
  const bool is_kept = known.has_value();
  if (!is_kept) known = make_sample(request, workspace, asked);
  if (known) {
    Outcome outcome = run_bare(request, workspace);
    if (outcome.fault) return outcome;
    if (!is_kept && bad_accesses_.is_empty()) kept_.keep(key, *known);
    known->file = asked.file;
    known->gpu_request = asked.gpu_request;
    outcome.seconds = known->timing ? known->timing->seconds() : 0;
    outcome.profile = keep_modeled(request, *known, report, group);
    return outcome;
  }
  Result<profile::Profile> made = make_profile(request, asked);
  request.kernel->needs_interpreter |= placed.began_again;
  if (!made) {
    const bool gave_up = made.error().fallback == Fallback::kInterpreter;
    if (gave_up && placed.before) placed.before->restore();
    if (error_of(made.error())) return {.fault = made.error()};
    say("not profiled: " + made.error().message);
    if (report) report_.add_other();
    return run_bare(request, workspace);
  }
  if (bad_accesses_.is_empty()) kept_.keep(key, *made);
  progress_.note_compiling(made->compile_seconds);
  std::string name = keep_modeled(request, *made, report, group);
  return {.output = made->output,
          .seconds = made->timing ? made->timing->seconds() : 0,
          .profile = std::move(name)};
}

}  // namespace warpledger::cuda
