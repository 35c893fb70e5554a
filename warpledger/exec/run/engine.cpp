#include "warpledger/exec/run/engine.h"

#include <cstdlib>

#include "warpledger/base/fallback.h"
#include "warpledger/exec/jit/runtime/engine.h"
#include "warpledger/exec/machine/engine.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/exec/run/deferred.h"
#include "warpledger/exec/translate/engine.h"
#include "warpledger/ptx/module.h"
#include "warpledger/sass/assemble.h"
#include "warpledger/sass/cubin/carried_kernel.h"
#include "warpledger/sass/cubin/carrier.h"

namespace warpledger::exec {
namespace {

Result<std::unique_ptr<Engine>> open_compiled(Image& image, const Launch& launch,
                                              const EngineOptions& options) {
  WL_TRY(auto engine,
         jit::Engine::create(image, launch, jit::shared_code_cache(options.code_folder), options));
  return Result<std::unique_ptr<Engine>>(std::move(engine));
}

Result<std::unique_ptr<Engine>> open_interpreted(Image& image, const Launch& launch,
                                                 const EngineOptions& options,
                                                 std::string why_not) {
  std::shared_ptr<ValueWatch> watch;
  if (options.values != Values::kOn)
    watch = std::make_shared<ValueWatch>(image.memory(), ValueWatch::Grain::kBytes);
  WL_TRY(auto engine, reference::Engine::create(image, launch, options.limits, std::move(watch)));
  engine->set_why_not(std::move(why_not));
  return Result<std::unique_ptr<Engine>>(std::move(engine));
}

// Also rejects kernels that may need the interpreter later, if the launch cannot be restarted.
Result<std::unique_ptr<Engine>> open_compiled_for_good(Image& image, const Launch& launch,
                                                       const EngineOptions& options,
                                                       bool may_begin_again) {
  auto compiled = open_compiled(image, launch, options);
  if (!compiled || may_begin_again || !(*compiled)->may_need_interpreter()) return compiled;
  return Diagnostic{.message = "its warps may wait for lanes of their own in diverged code",
                    .code = kNeedsInterpreter,
                    .fallback = Fallback::kInterpreter};
}

/// The kernel's part of the cubin that the module carries, or what ptxas makes of the module.
Result<std::string> machine_code_of(const ptx::Module& module, std::string_view kernel,
                                    const EngineOptions& options) {
  WL_TRY(const auto carried, sass::carried_kernel(module, kernel));
  if (carried != nullptr) return *carried;
  const std::string arch =
      options.architecture.empty() ? sass::default_arch(module) : options.architecture;
  WL_TRY(const auto object, sass::compile(module, arch));
  return *object->bytes;
}

// Interpreted, machine code runs at 400,000 warp instructions a second; to compile a kernel takes a
// tenth of a second to four. Ten seconds, since a cubin holds more than code; loops are not seen.
bool is_worth_compiling(const Launch& launch, const std::string& cubin) {
  constexpr uint64_t kInstructionBytes = 16, kLeastInstructions = 4'000'000, kLanes = 32;
  const auto volume = [](const Extent& of) { return uint64_t{of[0]} * of[1] * of[2]; };
  const uint64_t warps = volume(launch.grid) * ((volume(launch.block) + kLanes - 1) / kLanes);
  return warps * (cubin.size() / kInstructionBytes) >= kLeastInstructions;
}

Result<std::unique_ptr<Engine>> open_machine(Image& image, const Launch& launch,
                                             const EngineOptions& options) {
  WL_TRY(const ptx::Function* kernel, find_kernel(image.module(), launch.kernel));
  WL_TRY_STATUS(check_launch(image.module(), *kernel, launch));
  WL_TRY(std::string cubin, machine_code_of(image.module(), kernel->name, options));
  Launch named = launch;
  named.kernel = kernel->name;
  std::string why_not;
  const bool compiles = options.compile_machine_code &&
                        options.engine != EngineChoice::kReference &&
                        options.limits.bad_accesses == nullptr;
  if (compiles && is_worth_compiling(launch, cubin)) {
    auto compiled = translate::Engine::create(image, named, cubin,
                                              jit::shared_code_cache(options.code_folder), options);
    if (compiled) return Result<std::unique_ptr<Engine>>(*std::move(compiled));
    if (compiled.error().fallback != Fallback::kInterpreter) return compiled.error();
    why_not = compiled.error().message;
  }
  WL_TRY(auto engine,
         machine::Engine::create(image, named, std::move(cubin), options.limits, options.record));
  engine->set_why_not(std::move(why_not));
  return Result<std::unique_ptr<Engine>>(std::move(engine));
}

// `may_begin_again`: the caller runs a launch again that turns out to need the interpreter.
Result<std::unique_ptr<Engine>> open(Image& image, const Launch& launch,
                                     const EngineOptions& options, bool may_begin_again) {
  // The PTX of a carrier is empty: whatever was asked for, only its machine code can run.
  if (options.engine == EngineChoice::kMachine || sass::is_carrier(image.module()))
    return open_machine(image, launch, options);
  if (options.engine == EngineChoice::kJit) return open_compiled(image, launch, options);
  bool interpreted = options.engine == EngineChoice::kReference;
  std::string why_not;
  const auto interpret = [&](const Diagnostic& refusal) {
    why_not = refusal.message;
    return interpreted = true;
  };
  return run_with_fallback({{{Fallback::kInterpreter}, interpret}}, [&] {
    return interpreted ? open_interpreted(image, launch, options, why_not)
                       : open_compiled_for_good(image, launch, options, may_begin_again);
  });
}

Status run_to_end(Engine& engine, trace::Sink& sink, const EngineOptions& options, uint32_t slots) {
  if (!options.between) return trace::run_all(engine, sink, slots);
  return trace::run_all(options.between(engine), sink, slots);
}

LaunchOutcome outcome_of(Engine& engine, const Status& done) {
  LaunchOutcome outcome{.statistics = engine.statistics(),
                        .output = engine.take_output(),
                        .compiled = engine.compiled(),
                        .why_not = engine.why_not(),
                        .compile_seconds = engine.compile_seconds()};
  if (!done) outcome.fault = done.error();
  return outcome;
}

// With values: every byte that the launch may read must have its own.
Result<LaunchOutcome> run_with_values(Image& image, const Launch& launch, trace::Sink& sink,
                                      const EngineOptions& options, uint32_t slots) {
  if (options.deferred != nullptr) WL_TRY_STATUS(options.deferred->compute());
  if (!image.memory().poison().empty()) {
    return Diagnostic{.message = "values are needed that an earlier launch did not compute",
                      .hint = "run that launch with values, or keep it in a Deferred",
                      .code = kValuesNeeded,
                      .fallback = Fallback::kValues};
  }
  EngineOptions with = options;
  with.count = true;
  with.values = Values::kOn;
  std::optional<MemorySnapshot> before;
  std::optional<std::string> why_not;  // compiled
  const auto interpret = [&](const Diagnostic& refusal) {
    if (!before) return false;
    before->restore();
    why_not = refusal.message;
    return true;
  };
  return run_with_fallback({{{Fallback::kInterpreter}, interpret}}, [&]() -> Result<LaunchOutcome> {
    WL_TRY(auto engine, why_not ? open_interpreted(image, launch, with, *why_not)
                                : open(image, launch, with, !options.record));
    if (options.engine == EngineChoice::kAuto && engine->may_need_interpreter())
      before.emplace(image.memory());
    return outcome_of(*engine, run_to_end(*engine, sink, options, slots));
  });
}

// As far as that goes: `watch` takes back what a launch did that was refused. Null: it has values.
Result<LaunchOutcome> run_without_values(Image& image, const Launch& launch, trace::Sink& sink,
                                         const EngineOptions& options, uint32_t slots,
                                         std::shared_ptr<ValueWatch>& watch) {
  EngineOptions without = options;
  without.count = true;
  WL_TRY(const auto engine, open(image, launch, without, !options.record));
  watch = engine->watch();
  if (watch == nullptr) return run_with_values(image, launch, sink, options, slots);
  const Status done = run_to_end(*engine, sink, options, slots);
  if (done && options.deferred != nullptr)
    options.deferred->add(image, launch, options, slots, watch);
  LaunchOutcome outcome = outcome_of(*engine, done);
  outcome.had_values = false;
  return outcome;
}

}  // namespace

Result<std::unique_ptr<Engine>> open_engine(Image& image, const Launch& launch,
                                            const EngineOptions& options) {
  return open(image, launch, options, options.may_begin_again);
}

bool is_fixed_by_parameters(Image& image, const Launch& launch) {
  if (sass::is_carrier(image.module())) return false;  // its machine code was not analyzed
  auto watch = std::make_shared<ValueWatch>(image.memory(), ValueWatch::Grain::kAllocation);
  const auto engine = reference::Engine::create(image, launch, {}, std::move(watch));
  return engine && (*engine)->slice().is_cut && !(*engine)->slice().reads_memory;
}

Result<LaunchOutcome> run_launch(Image& image, const Launch& launch, trace::Sink& sink,
                                 const EngineOptions& options, uint32_t slots) {
  bool values = options.values == Values::kOn;
  std::shared_ptr<ValueWatch> watch;
  const auto compute_values = [&](const Diagnostic&) {
    if (watch == nullptr) return false;
    watch->take_back();
    return values = true;
  };
  // With values, the launch finds its way to the interpreter itself.
  std::vector<Fallback> answered = {Fallback::kValues};
  if (options.engine == EngineChoice::kAuto) answered.push_back(Fallback::kInterpreter);
  return run_with_fallback({{answered, compute_values}}, [&] {
    return values ? run_with_values(image, launch, sink, options, slots)
                  : run_without_values(image, launch, sink, options, slots, watch);
  });
}

CodeUses code_uses(const std::string& folder) { return jit::shared_code_cache(folder).uses(); }

std::string default_code_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string said = variable("WARPLEDGER_CODE"); !said.empty()) return said;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/warpledger/code";
  const std::string home = variable("HOME");
  return home.empty() ? home : home + "/.cache/warpledger/code";
}

}  // namespace warpledger::exec
