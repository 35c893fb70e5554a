#include "warpledger/profile/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warpledger/memory/replay.h"
#include "warpledger/profile/machine.h"
#include "warpledger/profile/probe.h"
#include "warpledger/profile/resources.h"
#include "warpledger/profile/time/model.h"
#include "warpledger/ptx/printer.h"

namespace warpledger::profile {
namespace {

constexpr double kBandDrift = 0.05;  // how far the further orders of a band let CTAs drift

/// The kernel in memory of its own: every order starts from the same bytes.
struct Loaded {
  exec::DeviceMemory memory;
  std::optional<exec::Image> image;
  exec::Launch launch;
  std::unique_ptr<exec::Engine> engine;
};

Result<std::unique_ptr<Loaded>> load(const Request& request, const ptx::Function& kernel,
                                     exec::EngineOptions options) {
  auto loaded = std::make_unique<Loaded>();
  WL_TRY(loaded->image, exec::Image::load(request.module, loaded->memory));
  loaded->launch = {.kernel = std::string(kernel.name),
                    .grid = request.grid,
                    .block = request.block,
                    .dynamic_shared_bytes = request.dynamic_shared_bytes};
  std::vector<exec::Argument> arguments = request.arguments;
  WL_TRY(loaded->launch.params,
         exec::pass_arguments(request.module, kernel, arguments, loaded->memory));
  options.record = true;
  options.count = true;
  WL_TRY(loaded->engine, exec::open_engine(*loaded->image, loaded->launch, options));
  return loaded;
}

std::vector<NamedRange> ranges_of(const exec::DeviceMemory& memory) {
  std::vector<NamedRange> ranges;
  for (const auto& [address, allocation] : memory.allocations()) {
    if (!allocation.is_free) ranges.push_back({allocation.name, address, allocation.bytes});
  }
  return ranges;
}

/// The functions that a kernel runs, as its instructions are numbered: itself, then what it calls.
std::vector<const ptx::Function*> functions_of(const ptx::Module& module,
                                               const exec::KernelLayout& layout) {
  std::vector<const ptx::Function*> functions;
  for (const uint32_t index : layout.functions) functions.push_back(&module.functions[index]);
  return functions;
}

SourceLine source_of(const ptx::Module& module, const ptx::Function& function,
                     const ptx::Instruction& instruction) {
  const ptx::SourceLocation* location = function.location_of(instruction);
  if (!location || location->at.line == 0) return {};
  const std::string_view path = module.file_name(location->at.file);
  return {std::string(path.substr(path.rfind('/') + 1)), location->at.line};
}

/// Every instruction of the functions, with how often it ran.
std::vector<CodeLine> code_of(const ptx::Module& module,
                              const std::vector<const ptx::Function*>& functions,
                              const std::vector<exec::InstructionCount>& counts) {
  std::vector<CodeLine> code;
  for (const ptx::Function* function : functions) {
    for (const ptx::Instruction& instruction : function->instructions) {
      CodeLine line{.text = ptx::print(module, *function, instruction),
                    .ptx_line = static_cast<uint32_t>(module.source->locate(instruction.span).line),
                    .source = source_of(module, *function, instruction)};
      if (code.size() < counts.size()) {
        line.executions = counts[code.size()].executions;
        line.lanes = counts[code.size()].lanes;
      }
      code.push_back(std::move(line));
    }
  }
  return code;
}

/// Warp instructions of one opcode.
uint64_t executions_of(const ptx::Module& module,
                       const std::vector<const ptx::Function*>& functions,
                       const std::vector<CodeLine>& code, ptx::Op op) {
  uint64_t sum = 0, number = 0;
  for (const ptx::Function* function : functions) {
    for (const ptx::Instruction& instruction : function->instructions) {
      if (module.spelling(instruction).op() == op) sum += code[number].executions;
      ++number;
    }
  }
  return sum;
}

/// The components of threadIdx that the functions read; ptxas reads each once per warp (S2R).
uint64_t thread_index_components(const std::vector<const ptx::Function*>& functions) {
  std::set<int> components;
  for (const ptx::Function* function : functions) {
    for (const ptx::Operand& operand : function->operands) {
      const bool special = operand.kind == ptx::OperandKind::kSpecial;
      if (special &&
          static_cast<ptx::SpecialRegister>(operand.index) == ptx::SpecialRegister::kTid) {
        components.insert(operand.component());
      }
    }
  }
  return components.size();
}

Execution execution_of(const exec::Statistics& counted) {
  const auto family = [&](ptx::Family one) { return counted.by_family[static_cast<size_t>(one)]; };
  return {.ctas = counted.ctas,
          .warps = counted.warps,
          .warp_instructions = counted.warp_instructions,
          .thread_instructions = counted.thread_instructions,
          .branches = family(ptx::Family::kControl),
          .divergent_branches = counted.divergent_branches,
          .barriers = counted.barriers};
}

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
  if (!request.witness) return assume("no machine code was asked for");
  const std::string arch = architecture_of(request);
  const auto assembly = sass::assemble(request.module, arch);
  if (!assembly) {
    const Result<Resources> alone = compile_resources(request.module, kernel, arch);
    Compiled compiled = assume(assembly.error().message);
    if (alone) compiled.resources = *alone;
    return compiled;
  }
  const Result<Resources> resources = read_resources(*(*assembly)->binary.bytes, kernel.name);
  if (!resources) return assume(resources.error().message);
  Compiled compiled{.resources = *resources};
  Result<sass::Witness> witness = sass::witness(**assembly);
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

/// What all orders of one request share.
struct Plan {
  const Request& request;
  const ptx::Function& kernel;
  const exec::KernelLayout& layout;
  const Compiled& compiled;
  FirstNumbers numbers;
  memory::Config config;

  [[nodiscard]] MachineSites sites(const trace::Sites& own) const {
    if (compiled.kernel) return machine_sites(own, *compiled.kernel, numbers);
    return {own, std::vector<std::string>(own.size())};
  }
};

Result<memory::Counters> run_order(const Plan& plan, const memory::Schedule& schedule) {
  return persist(plan.request.engine,
                 [&](const exec::EngineOptions& options) -> Result<memory::Counters> {
                   WL_TRY(const auto loaded, load(plan.request, plan.kernel, options));
                   exec::Engine& engine = *loaded->engine;
                   Probe probe(engine, {}, plan.sites(*engine.launch().sites).sites);
                   return memory::replay(probe, plan.config, schedule);
                 });
}

void describe_execution(const Plan& plan, exec::Engine& engine, Profile& profile) {
  const ptx::Module& module = plan.request.module;
  const auto functions = functions_of(module, plan.layout);
  profile.code = code_of(module, functions, engine.instruction_counts());
  profile.execution = execution_of(engine.statistics());
  profile.execution.shuffles = executions_of(module, functions, profile.code, ptx::Op::kShfl);
  profile.execution.thread_index_reads =
      profile.execution.warps * thread_index_components(functions);
  if (plan.compiled.kernel) {
    profile.machine = count_machine(module, *plan.compiled.kernel, plan.numbers, profile.code,
                                    profile.execution.divergent_branches > 0);
  }
  profile.engine = engine.compiled() ? "compiled" : "interpreted";
  if (!engine.why_not().empty()) profile.engine += ": " + engine.why_not();
  profile.output = engine.take_output();
}

/// Batches of a warp: those of the watched accesses, scaled to all.
double batches_of(const Probe& probe, const Profile& profile) {
  uint64_t accesses = 0;
  for (const memory::SiteCounters& site : profile.counters.sites) accesses += site.request.requests;
  const auto warps = static_cast<double>(std::max<uint64_t>(1, profile.execution.warps));
  return probe.batches_per_access() * static_cast<double>(accesses) / warps;
}

/// The default order, watched.
Status run_watched(const Plan& plan, const exec::EngineOptions& options, Profile& profile) {
  WL_TRY(const auto loaded, load(plan.request, plan.kernel, options));
  std::vector<NamedRange> ranges = ranges_of(loaded->memory);
  MachineSites sites = plan.sites(*loaded->engine->launch().sites);
  profile.arrays.clear();
  profile.instructions.clear();
  for (const NamedRange& range : ranges) profile.arrays.push_back({range.name, range.bytes});
  for (size_t i = 0; i < sites.sites.size(); ++i) {
    profile.instructions.push_back({sites.sites[i], {}, sites.fates[i]});
  }
  Probe probe(*loaded->engine, std::move(ranges), std::move(sites.sites));
  WL_TRY(profile.counters, memory::replay(probe, plan.config, plan.request.policy.schedule));
  describe_execution(plan, *loaded->engine, profile);
  for (uint32_t i = 0; i < profile.instructions.size(); ++i) {
    profile.instructions[i].arrays = probe.arrays_of(i);
  }
  profile.samples = probe.samples(profile);
  profile.examples = probe.examples(profile.counters);
  profile.execution.batches = batches_of(probe, profile);
  return {};
}

}  // namespace

Result<Profile> run(const Request& request) {
  if (!request.policy.flush_caches) {
    return Diagnostic{
        .message = "caches that keep what an earlier kernel left are not modelled yet",
        .hint = "--cache-control all is what ncu does by default",
        .code = "unsupported-cache-control"};
  }
  WL_TRY(const ptx::Function* kernel, exec::find_kernel(request.module, request.kernel));
  WL_TRY(const exec::KernelLayout layout, exec::lay_out(request.module, *kernel));
  Profile profile{.file = request.file,
                  .kernel = std::string(kernel->name),
                  .gpu_request = request.gpu_request,
                  .gpu = request.gpu,
                  .policy = request.policy};
  const Compiled compiled = compile(request, *kernel);
  WL_TRY_STATUS(describe_launch(request, layout, compiled, profile));
  WL_TRY(const memory::Config config, memory::configure(request.gpu, profile.launch));
  const Plan plan{request, *kernel, layout, compiled, first_numbers(request.module, layout),
                  config};
  WL_TRY_STATUS(persist(request.engine, [&](const exec::EngineOptions& options) {
    return run_watched(plan, options, profile);
  }));
  if (const auto made = time::estimate({profile, profile.counters})) profile.timing = made->timing;
  for (uint32_t i = 1; i < request.orders; ++i) {
    memory::Schedule schedule = request.policy.schedule;
    schedule.seed += i;
    schedule.drift = std::max(schedule.drift, kBandDrift);
    WL_TRY(memory::Counters counters, run_order(plan, schedule));
    profile.other_orders.push_back(std::move(counters));
  }
  return profile;
}

}  // namespace warpledger::profile
