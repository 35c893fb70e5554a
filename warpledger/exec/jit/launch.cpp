#include "warpledger/exec/jit/launch.h"

#include <cstring>
#include <map>

namespace warpledger::exec::jit {
namespace {

constexpr const char* kNeedsInterpreter = "jit-needs-interpreter";

/// The bytes of live allocations, to begin again from.
class Snapshot {
 public:
  explicit Snapshot(DeviceMemory& memory) : memory_(memory) {
    for (const auto& [address, allocation] : memory.allocations()) {
      if (allocation.is_free || allocation.bytes == 0) continue;
      const std::byte* bytes = memory.find(address, allocation.bytes);
      held_[address].assign(bytes, bytes + allocation.bytes);
    }
  }
  void restore() const {
    for (const auto& [address, bytes] : held_) {
      std::memcpy(memory_.find(address, bytes.size()), bytes.data(), bytes.size());
    }
  }

 private:
  DeviceMemory& memory_;
  std::map<uint64_t, std::vector<std::byte>> held_;
};

bool is_for_the_interpreter(const Diagnostic& error) {
  return error.code == "no-jit" || error.code == "jit-unsupported" ||
         error.code == kNeedsInterpreter;
}

Result<LaunchOutcome> run_compiled(Image& image, const exec::Launch& launch, trace::Sink& sink,
                                   const LaunchOptions& options) {
  WL_TRY(const auto compiler, Compiler::create(options.code_folder));
  WL_TRY(const auto engine,
         Engine::create(image, launch, *compiler,
                        {.record = options.record, .count = true, .limits = options.limits}));
  const bool begins_again = options.engine == EngineChoice::kAuto && engine->may_need_interpreter();
  if (begins_again && options.record) {
    return Diagnostic{.message = "its warps may wait for lanes of their own in diverged code",
                      .code = kNeedsInterpreter};
  }
  std::optional<Snapshot> before;
  if (begins_again) before.emplace(image.memory());
  const Status done = trace::run_all(*engine, sink, options.slots);
  if (!done && before && is_for_the_interpreter(done.error())) {
    before->restore();
    return done.error();
  }
  LaunchOutcome outcome{
      .statistics = engine->statistics(), .output = engine->take_output(), .compiled = true};
  if (!done) outcome.fault = done.error();
  return outcome;
}

Result<LaunchOutcome> run_interpreted(Image& image, const exec::Launch& launch, trace::Sink& sink,
                                      const LaunchOptions& options) {
  WL_TRY(const auto engine, reference::Engine::create(image, launch, options.limits));
  const Status done = trace::run_all(*engine, sink, options.slots);
  LaunchOutcome outcome{.statistics = engine->statistics(), .output = engine->take_output()};
  if (!done) outcome.fault = done.error();
  return outcome;
}

}  // namespace

Result<LaunchOutcome> run_launch(Image& image, const exec::Launch& launch, trace::Sink& sink,
                                 const LaunchOptions& options) {
  std::string why_not;
  if (options.engine != EngineChoice::kReference) {
    Result<LaunchOutcome> compiled = run_compiled(image, launch, sink, options);
    const bool again = !compiled && options.engine == EngineChoice::kAuto &&
                       is_for_the_interpreter(compiled.error());
    if (!again) return compiled;
    why_not = compiled.error().message;
  }
  WL_TRY(LaunchOutcome outcome, run_interpreted(image, launch, sink, options));
  outcome.why_not = std::move(why_not);
  return outcome;
}

}  // namespace warpledger::exec::jit
