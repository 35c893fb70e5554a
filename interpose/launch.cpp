// How a launch runs: small ones interpreted, others compiled, both where the program's memory is.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "interpose/core.h"
#include "interpose/launch_size.h"
#include "interpose/ranges.h"
#include "interpose/torch_operator.h"
#include "warpledger/base/fallback.h"
#include "warpledger/base/parallel.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/cubin/carrier.h"

namespace warpledger::cuda {
namespace {

// A compiler takes a tenth of a second to load and to work: what the interpreter does in less is
// not worth it. Measured: it runs about a million warp instructions a second.
constexpr uint64_t kInterpretedInstructions = kMostInterpreted / 2;
constexpr uint64_t kSmallMemory = uint64_t{4} << 20;  // that is kept to begin again from
constexpr uint64_t kInterpretedLaunches = 16;         // of a kernel with loops
constexpr size_t kPreparedShapes = 8;
constexpr uint32_t kSlots = 64;
constexpr uint64_t kParallelWarps = 256;
constexpr uint64_t kWorkspaceBytes = 4096;

exec::Launch launch_of(const LaunchRequest& request, uint64_t workspace) {
  return {.kernel = request.kernel->name,
          .grid = request.grid,
          .block = request.block,
          .cluster = request.cluster,
          .dynamic_shared_bytes = request.dynamic_shared_bytes,
          .params = request.params,
          .grid_workspace = workspace};
}

// Whether threads may ask again for what other blocks have not written yet: a flag, a node of a
// tree.
bool may_wait(const Kernel& kernel) {
  using ptx::Modifier;
  if (sass::is_carrier(kernel.module->code())) return true;  // its PTX does not tell
  return std::ranges::any_of(kernel.function->instructions, [&](const ptx::Instruction& at) {
    const ptx::Spelling& spelling = kernel.module->code().spelling(at);
    const Modifier order = spelling.get(ptx::Slot::kOrder);
    return spelling.op() == ptx::Op::kLd &&
           (spelling.has(Modifier::kVolatile) ||
            (order != Modifier::kNone && order != Modifier::kWeak));
  });
}

}  // namespace

Error Core::check(const LaunchRequest& request) {
  const ExecutionFacts& has = gpu_.architecture.execution;
  const SharedMemoryFacts& shared = gpu_.architecture.shared_memory;
  const uint64_t threads = volume(request.block);
  if (volume(request.grid) == 0 || threads == 0 || request.grid[0] > 0x7fffffff ||
      request.grid[1] > 65535 || request.grid[2] > 65535 ||
      threads > static_cast<uint64_t>(has.max_threads_per_block.value))
    return Error::kInvalidConfiguration;
  for (size_t i = 0; i < 3; ++i) {
    if (request.block[i] > static_cast<uint64_t>(has.max_block_dims.value[i]))
      return Error::kInvalidConfiguration;
  }
  const auto usual = static_cast<uint64_t>(shared.bytes_per_block.value);
  if (request.dynamic_shared_bytes > std::max<uint64_t>(usual, request.kernel->max_dynamic_shared))
    return Error::kInvalidValue;
  if (!request.is_cooperative) return Error::kNone;
  const Result<Occupancy> fits =
      occupancy(*request.kernel, static_cast<int64_t>(threads), request.dynamic_shared_bytes);
  if (!fits) return Error::kInvalidConfiguration;
  const auto most = static_cast<uint64_t>(fits->blocks_per_sm * gpu_.sms.value);
  return volume(request.grid) > most ? Error::kCooperativeTooLarge : Error::kNone;
}

bool Core::takes(const Kernel& kernel) {
  return !settings_.report.empty() && Ranges::get().wants_launch() && filter_.wants(kernel.name);
}

Core::Outcome Core::run(const LaunchRequest& request, uint64_t workspace, bool report) {
  if (benchmarks_.is_on()) return run_timed(request, workspace, report);
  if (!report && benchmarks_.is_checking()) return run_bare(request, workspace);
  if (report || wants_time_) return run_asked(request, workspace, report);
  return run_bare(request, workspace);
}

Error Core::launch(const LaunchRequest& asked) {
  LaunchRequest request = asked;
  request.block = exec::block_of(*asked.kernel->function, asked.block);
  if (const Error error = check(request); error != Error::kNone) return error;
  if (request.is_cooperative && workspace_ == 0) {
    const Result<uint64_t> made = memory_.device().allocate(kWorkspaceBytes, "grid workspace");
    if (!made) return Error::kOutOfMemory;
    workspace_ = *made;
  }
  const uint64_t workspace = request.is_cooperative ? workspace_ : 0;
  if (benchmarks_.needs_values()) return Error::kNone;  // all of it runs again
  const bool is_trial = benchmarks_.is_trial();
  const bool report = (!is_trial || settings_.trials) && takes(*request.kernel);
  if (settings_.timeout > 0) deadline_.start(settings_.timeout);
  progress_.begin(request.kernel->name);
  Outcome outcome = run(request, workspace, report);
  progress_.end(outcome.fault.has_value());
  say_bad_accesses();
  if (!outcome.output.empty()) std::fwrite(outcome.output.data(), 1, outcome.output.size(), stdout);
  if (outcome.fault) return take_fault(*outcome.fault);
  if (!report) is_trial ? report_.add_trial() : report_.add_other();
  if (outcome.seconds)
    timeline_.add(*request.stream, Lane::kKernel, *outcome.seconds, request.kernel->name,
                  outcome.profile);
  return Error::kNone;
}

void Core::say_bad_accesses() {
  for (const exec::BadAccess& bad : bad_accesses_.take()) {
    std::fflush(stdout);
    say(exec::describe(bad));
  }
}

Error Core::take_fault(const Diagnostic& fault) {
  Diagnostic said = with_torch_operator(fault);
  if (fault.fallback == Fallback::kMoreTime) {
    said.message = fmt::format("the kernel did not finish in {} s (--timeout): {}",
                               settings_.timeout, said.message);
    said.hint = "stopped here; raise --timeout to let it continue";
  }
  std::fflush(stdout);
  say(said);
  report_.add_fault(said.message);
  const std::optional<Error> known = error_of(fault);
  if (!known) return refusal_error(fault, Error::kLaunchFailure);
  sticky_ = *known;
  return *known;
}

exec::EngineOptions Core::options() {
  exec::EngineOptions options{.engine = settings_.engine, .record = false};
  options.code_folder = exec::default_code_folder();
  options.architecture = gpu_.architecture.id;
  if (settings_.timeout > 0) options.limits.deadline = &deadline_;
  if (settings_.continue_on_error) options.limits.bad_accesses = &bad_accesses_;
  return options;
}

// What has neither loops nor calls is as long as its text; others may turn out to be long, and are
// then begun again, which costs a copy of memory.
bool Core::is_small(const LaunchRequest& request) const {
  const Kernel& kernel = *request.kernel;
  if (settings_.engine != exec::EngineChoice::kAuto || kernel.needs_interpreter) return false;
  if (kernel.interpreted >= 10 * kInterpretedInstructions) return false;
  if (warps_of(request) * kernel.function->instructions.size() >= kInterpretedInstructions)
    return false;
  return kernel.is_straight || (kernel.interpreted_launches < kInterpretedLaunches &&
                                memory_.bytes_in_use() < kSmallMemory && memory_.can_begin_again());
}

Result<std::unique_ptr<exec::Engine>> Core::open(const LaunchRequest& request, uint64_t workspace,
                                                 bool count) {
  const Kernel& kernel = *request.kernel;
  exec::EngineOptions how = options();
  how.count = count;
  how.compile_machine_code = !kernel.needs_interpreter && memory_.can_begin_again();
  const bool interprets = kernel.needs_interpreter || (kernel.is_straight && is_small(request));
  if (interprets && how.engine != exec::EngineChoice::kMachine) {
    how.engine = exec::EngineChoice::kReference;
  } else if (how.engine == exec::EngineChoice::kAuto && memory_.can_begin_again()) {
    how.engine = exec::EngineChoice::kJit;
  }
  const auto interpret = [&](const Diagnostic&) {
    if (settings_.engine != exec::EngineChoice::kAuto) return false;
    how.engine = exec::EngineChoice::kReference;
    return request.kernel->needs_interpreter = true;
  };
  return run_with_fallback({{{Fallback::kInterpreter}, interpret}}, [&] {
    return exec::open_engine(kernel.module->image(), launch_of(request, workspace), how);
  });
}

Result<Prepared*> Core::prepare(const LaunchRequest& request, uint64_t workspace, bool count) {
  std::vector<Prepared>& kept = request.kernel->prepared;
  // A kernel that was interpreted while it was small is compiled once it has run often enough.
  const bool outgrown = request.kernel->is_straight && !request.kernel->needs_interpreter &&
                        settings_.engine == exec::EngineChoice::kAuto && !is_small(request);
  for (size_t i = 0; i < kept.size(); ++i) {
    const bool same = kept[i].grid == request.grid && kept[i].block == request.block &&
                      kept[i].cluster == request.cluster &&
                      kept[i].dynamic_shared_bytes == request.dynamic_shared_bytes;
    if (!same || (outgrown && !kept[i].engine->compiled())) continue;
    if (count && !kept[i].counts) continue;
    if (!kept[i].engine->renew(request.params)) continue;
    if (i + 1 != kept.size()) std::swap(kept[i], kept.back());
    return &kept.back();
  }
  WL_TRY(auto engine, open(request, workspace, count));
  if (kept.size() == kPreparedShapes) kept.erase(kept.begin());
  const bool counts = count || !engine->compiled();
  kept.push_back({request.grid, request.block, request.cluster, request.dynamic_shared_bytes,
                  std::move(engine), counts});
  return &kept.back();
}

// CTAs that are there at once, where it shows: all of a cooperative launch; as many as the GPU
// holds where they may wait for each other.
uint32_t Core::slots_of(const LaunchRequest& request) {
  const auto ctas = static_cast<uint32_t>(std::min<uint64_t>(volume(request.grid), UINT32_MAX));
  if (request.is_cooperative || ctas <= kSlots) return ctas;
  if (!may_wait(*request.kernel)) return kSlots;
  const auto threads = static_cast<int64_t>(volume(request.block));
  const Result<Occupancy> fits = occupancy(*request.kernel, threads, request.dynamic_shared_bytes);
  if (!fits) return kSlots;
  const auto resident = static_cast<uint64_t>(fits->blocks_per_sm * gpu_.sms.value);
  return static_cast<uint32_t>(std::clamp<uint64_t>(resident, kSlots, ctas));
}

Core::Outcome Core::run_engine(const LaunchRequest& request, Prepared& prepared, bool count) {
  exec::Engine& engine = *prepared.engine;
  const bool free = engine.freedom() == trace::Freedom::kParallel;
  const uint32_t threads = free && warps_of(request) >= kParallelWarps ? available_threads() : 1;
  const uint32_t slots = free && !request.is_cooperative ? 1 : slots_of(request);
  trace::NoSink nobody;
  Outcome outcome;
  const Status done = trace::run_all(engine, nobody, slots, threads);
  outcome.output = engine.take_output();
  if (done && count) outcome.counts = counts_of(engine.instruction_counts());
  if (!done) {
    outcome.fault = done.error();
    request.kernel->prepared.pop_back();  // an engine that faulted does not start again
  }
  return outcome;
}

// A first launch or two of what looks small: refused when it turns out to be long.
Core::Outcome Core::run_briefly(const LaunchRequest& request, uint64_t workspace) {
  Kernel& kernel = *request.kernel;
  exec::EngineOptions how = options();
  how.engine = exec::EngineChoice::kReference;
  how.limits.warp_instructions = kMostInterpreted;
  auto engine = exec::open_engine(kernel.module->image(), launch_of(request, workspace), how);
  if (!engine) return Outcome{.fault = engine.error()};
  trace::NoSink nobody;
  const Status done = trace::run_all(**engine, nobody, slots_of(request));
  kernel.interpreted += (*engine)->statistics().warp_instructions;
  ++kernel.interpreted_launches;
  Outcome outcome{.output = (*engine)->take_output()};
  if (done) outcome.counts = counts_of((*engine)->instruction_counts());
  if (!done) outcome.fault = done.error();
  return outcome;
}

// `before`: memory, where the launch may turn out to need the interpreter.
Core::Outcome Core::run_prepared(const LaunchRequest& request, uint64_t workspace, bool count,
                                 std::optional<exec::MemorySnapshot>& before) {
  Kernel& kernel = *request.kernel;
  const Result<Prepared*> prepared = prepare(request, workspace, count);
  if (!prepared) return {.fault = prepared.error()};
  exec::Engine& engine = *(*prepared)->engine;
  const bool counts = kernel.is_straight && !engine.compiled();
  // A launch that takes the way of one that ended will end as well.
  const bool may_give_up = engine.may_need_interpreter();
  const bool will_end = may_give_up && (*prepared)->ended == request.params &&
                        !request.params.empty() && is_fixed(request, workspace);
  if (may_give_up && !will_end) before.emplace(memory_.device());
  Outcome outcome = run_engine(request, **prepared, count);
  if (counts) kernel.interpreted += warps_of(request) * kernel.function->instructions.size();
  if (may_give_up && !outcome.fault) kernel.prepared.back().ended = request.params;
  return outcome;
}

Core::Outcome Core::run_bare(const LaunchRequest& request, uint64_t workspace, bool count) {
  Kernel& kernel = *request.kernel;
  bool briefly = is_small(request) && !kernel.is_straight;
  std::optional<exec::MemorySnapshot> before;
  if (briefly) before.emplace(memory_.device());
  const auto run_at_length = [&](const Diagnostic&) {
    if (!std::exchange(briefly, false)) return false;
    before->restore();
    static_cast<void>(bad_accesses_.take());  // they come again
    before.reset();
    kernel.interpreted = 10 * kInterpretedInstructions;
    return true;
  };
  const auto interpret = [&](const Diagnostic&) {
    if (!before) return false;
    before->restore();
    static_cast<void>(bad_accesses_.take());
    before.reset();
    kernel.prepared.clear();
    return kernel.needs_interpreter = true;
  };
  return run_with_fallback(
      {{{Fallback::kMoreSteps}, run_at_length}, {{Fallback::kInterpreter}, interpret}}, [&] {
        return briefly ? run_briefly(request, workspace)
                       : run_prepared(request, workspace, count, before);
      });
}

}  // namespace warpledger::cuda
