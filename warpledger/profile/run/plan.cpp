#include "warpledger/profile/run/plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/profile/run/machine_run.h"
#include "warpledger/profile/run/resources.h"
#include "warpledger/profile/run/run_statistics.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/registers/live_code.h"

namespace warpledger::profile {
namespace {

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

Compiled assume(std::string why) {
  Compiled compiled{.why_absent = why};
  compiled.resources = {
      .registers = kAssumedRegisters, .barriers = 1, .source = fmt::format("assumed: {}", why)};
  return compiled;
}

}  // namespace

Compiled compile(const Request& request, const ptx::Function& kernel) {
  const bool is_what_runs = runs_machine_code(request);
  if (!request.sass && !is_what_runs) return assume(std::string(kNoSass));
  const std::string arch = architecture_of(request);
  const Result<Resources> resources = compile_resources(request.module, kernel, arch);
  if (!resources) return assume(resources.error().message);
  Compiled compiled{.resources = *resources, .is_what_runs = is_what_runs};
  if (is_what_runs) return compiled;
  Result<sass::Witness> witness = sass::witness(request.module, arch);
  if (!witness) {
    compiled.why_absent = witness.error().message;
    return compiled;
  }
  compiled.witness = *std::move(witness);
  compiled.kernel = compiled.witness->find(kernel.name);
  if (compiled.kernel != nullptr)
    compiled.resources.live_registers = sass::most_live(*compiled.kernel).value_or(0);
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

Stopwatch* Plan::watch() const {
  return observation.statistics ? &observation.statistics->watch : nullptr;
}

Status Plan::lock_cell() const {
  const bool is_inside = observation.cell != nullptr && observation.cell->inside != nullptr;
  return is_inside ? observation.cell->inside->lock() : Status();
}

MachineSites Plan::sites(const trace::Sites& own) const {
  if (compiled.kernel) return machine_sites(own, *compiled.kernel, numbers);
  return {own, std::vector<std::string>(own.size())};
}

Result<std::unique_ptr<Loaded>> load_timed(const Plan& plan, const exec::EngineOptions& options) {
  const Stopwatch::Phase timed(plan.watch(), phase::kCode);
  return load(plan.request, plan.kernel, options);
}

}  // namespace warpledger::profile
