#include "warpledger/exec/run/engine.h"

#include <cstdlib>

#include "warpledger/exec/jit/runtime/engine.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/exec/run/deferred.h"
#include "warpledger/ptx/module.h"

namespace warpledger::exec {
namespace {

bool is_for_the_interpreter(const Diagnostic& error) {
  return error.code == "no-jit" || error.code == "jit-unsupported" ||
         error.code == kNeedsInterpreter;
}

/// Warpgroups, bulk copies, clusters and tensor memory wait in ways that compiled code does not.
bool is_for_the_interpreter(const ptx::Spelling& spelling) {
  const ptx::Family family = spelling.opcode().family;
  const bool late = spelling.tier() == ptx::Tier::kHopper;
  const bool waits = family == ptx::Family::kBarrier || family == ptx::Family::kAsyncCopy ||
                     family == ptx::Family::kTensorCore || family == ptx::Family::kTcgen05;
  const bool fence =
      spelling.opcode().memory == ptx::MemoryKind::kFence && family == ptx::Family::kBarrier;
  return late && waits && !fence;
}

Status check_for_compiler(const Image& image, const Launch& launch) {
  WL_TRY(const ptx::Function* kernel, find_kernel(image.module(), launch.kernel));
  const auto refused = [](std::string_view what) {
    return Diagnostic{.message = "the JIT does not compile " + std::string(what),
                      .code = "jit-unsupported"};
  };
  if (cluster_of(*kernel, launch) != Extent{1, 1, 1}) return refused("clusters");
  for (const ptx::Instruction& instruction : kernel->instructions) {
    const ptx::Spelling& spelling = image.module().spellings[instruction.spelling];
    if (is_for_the_interpreter(spelling)) return refused("'" + std::string(spelling.text) + "'");
  }
  return {};
}

Result<std::unique_ptr<Engine>> open_compiled(Image& image, const Launch& launch,
                                              const EngineOptions& options) {
  WL_TRY_STATUS(check_for_compiler(image, launch));
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

// `may_begin_again`: the caller runs a launch again that turns out to need the interpreter.
Result<std::unique_ptr<Engine>> open(Image& image, const Launch& launch,
                                     const EngineOptions& options, bool may_begin_again) {
  if (options.engine == EngineChoice::kReference)
    return open_interpreted(image, launch, options, {});
  auto compiled = open_compiled(image, launch, options);
  if (options.engine == EngineChoice::kJit) return compiled;
  if (!compiled && !is_for_the_interpreter(compiled.error())) return compiled;
  if (compiled && (may_begin_again || !(*compiled)->may_need_interpreter())) return compiled;
  return open_interpreted(image, launch, options,
                          compiled ? "its warps may wait for lanes of their own in diverged code"
                                   : compiled.error().message);
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
                      .code = kValuesNeeded};
  }
  EngineOptions with = options;
  with.count = true;
  with.values = Values::kOn;
  WL_TRY(auto engine, open(image, launch, with, !options.record));
  std::optional<MemorySnapshot> before;
  if (options.engine == EngineChoice::kAuto && engine->may_need_interpreter())
    before.emplace(image.memory());
  const Status done = run_to_end(*engine, sink, options, slots);
  if (done || !before || !is_for_the_interpreter(done.error())) return outcome_of(*engine, done);
  before->restore();
  WL_TRY(engine, open_interpreted(image, launch, with, done.error().message));
  return outcome_of(*engine, run_to_end(*engine, sink, options, slots));
}

}  // namespace

Result<std::unique_ptr<Engine>> open_engine(Image& image, const Launch& launch,
                                            const EngineOptions& options) {
  return open(image, launch, options, options.may_begin_again);
}

bool is_fixed_by_parameters(Image& image, const Launch& launch) {
  auto watch = std::make_shared<ValueWatch>(image.memory(), ValueWatch::Grain::kAllocation);
  const auto engine = reference::Engine::create(image, launch, {}, std::move(watch));
  return engine && (*engine)->slice().is_cut && !(*engine)->slice().reads_memory;
}

Result<LaunchOutcome> run_launch(Image& image, const Launch& launch, trace::Sink& sink,
                                 const EngineOptions& options, uint32_t slots) {
  if (options.values == Values::kOn) return run_with_values(image, launch, sink, options, slots);
  EngineOptions without = options;
  without.count = true;
  WL_TRY(const auto engine, open(image, launch, without, !options.record));
  const auto watch = engine->watch();
  if (watch == nullptr) return run_with_values(image, launch, sink, options, slots);
  const Status done = run_to_end(*engine, sink, options, slots);
  const bool again =
      !done && (done.error().code == kValuesNeeded ||
                (options.engine == EngineChoice::kAuto && done.error().code == kNeedsInterpreter));
  if (again) {
    watch->take_back();
    return run_with_values(image, launch, sink, options, slots);
  }
  if (done && options.deferred != nullptr)
    options.deferred->add(image, launch, options, slots, watch);
  LaunchOutcome outcome = outcome_of(*engine, done);
  outcome.had_values = false;
  return outcome;
}

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
