// Runs a launch through both engines from the same memory and compares every byte and every record.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/unit/exec/decode/address_only.h"
#include "warpledger/exec/jit/runtime/engine.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::exec {

inline bool can_compile() { return static_cast<bool>(jit::load_compiler()); }

struct JitRun {
  std::string error;  // empty: done
  std::string code;   // of the error
  std::string trace;
  Statistics statistics;
  std::vector<InstructionCount> counts;
};

inline JitRun run_jit(Image& image, const Launch& launch, const Limits& limits, uint32_t slots,
                      bool record = true, uint32_t threads = 1) {
  const auto failed = [](const Diagnostic& diagnostic) {
    return JitRun{.error = to_text(diagnostic), .code = diagnostic.code};
  };
  auto engine = jit::Engine::create(image, launch, jit::shared_code_cache({}),
                                    {.record = record, .count = true, .limits = limits});
  if (!engine) return failed(engine.error());
  trace::DumpSink dump;
  const Status done = trace::run_all(**engine, dump, slots, threads);
  if (!done) return failed(done.error());
  return {.trace = dump.text(),
          .statistics = (*engine)->statistics(),
          .counts = (*engine)->instruction_counts()};
}

/// A run without values by compiled code; memory is left alone.
inline Observed run_jit_address_only(Image& image, const Launch& launch, const Limits& limits,
                                     uint32_t slots) {
  auto engine = jit::Engine::create(
      image, launch, jit::shared_code_cache({}),
      {.record = true, .count = true, .values = Values::kOff, .limits = limits});
  if (!engine) return {.error = to_text(engine.error()), .code = engine.error().code};
  return observe_without_values(**engine, image.memory(), slots);
}

/// What the two engines disagree on; empty when they agree or the JIT leaves it to the interpreter.
/// The memory is left as the interpreter made it, `trace` holds its records.
struct Comparison {
  std::string error;  // of the interpreter
  std::string difference;
  std::string trace;
  Statistics statistics;
  std::string output;
  bool compiled = false;
  bool needed_values = false;  // one of the runs without values did
};

/// Whether a kernel may wait for others by asking again and again: how often is the scheduler's,
/// and so are its records and counts. What it leaves in memory is not. A wait for an mbarrier asks
/// once.
inline bool may_poll(const reference::Engine& engine) {
  for (const auto& code : engine.program().codes)
    for (const reference::Step& step : code->steps)
      if (step.polls && step.spelling().opcode().memory != ptx::MemoryKind::kBarrierObject)
        return true;
  return false;
}

/// Both engines, with and without values.
inline Comparison compare_engines(Image& image, const Launch& launch, const Limits& limits,
                                  uint32_t slots) {
  Comparison result;
  const MemorySnapshot before(image.memory());
  const Observed without = run_address_only(image, launch, limits, slots);
  const JitRun compiled = run_jit(image, launch, limits, slots);
  const MemorySnapshot by_jit(image.memory());
  before.restore();
  result.compiled = compiled.code != "jit-unsupported" && compiled.code != "jit-needs-interpreter";
  Observed compiled_without;
  if (result.compiled) compiled_without = run_jit_address_only(image, launch, limits, slots);
  auto engine = reference::Engine::create(image, launch, limits);
  if (!engine) {
    result.error = to_text(engine.error());
    return result;
  }
  const Observed with = observe(**engine, slots);
  result.output = with.output;
  result.trace = with.trace;
  result.error = with.error;
  result.statistics = with.statistics;
  result.difference = with.difference(without);
  result.needed_values = without.code == kValuesNeeded || compiled_without.code == kValuesNeeded;
  if (!result.compiled || !result.difference.empty()) return result;
  const bool stopped = with.code == "step-limit" || with.code == kTimeLimit;
  if (stopped && compiled.code == with.code) {
    return result;  // which warp comes to the limit first is the scheduler's, too
  } else if (compiled.error != result.error) {
    result.difference = "interpreter: " + result.error + "\nJIT: " + compiled.error;
  } else if (result.error.empty()) {
    result.difference = first_difference(MemorySnapshot(image.memory()), by_jit);
    if (may_poll(**engine)) return result;
    if (result.difference.empty() && compiled.trace != result.trace) {
      result.difference = "traces differ\ninterpreter:\n" + result.trace.substr(0, 20000) +
                          "\nJIT:\n" + compiled.trace.substr(0, 20000);
    }
    if (result.difference.empty() &&
        described(compiled.statistics) != described(result.statistics)) {
      result.difference = "interpreter: " + described(result.statistics) +
                          "\nJIT: " + described(compiled.statistics);
    }
    if (result.difference.empty() && compiled.counts != with.counts)
      result.difference = "instructions are counted differently";
  }
  if (result.difference.empty()) result.difference = with.difference(compiled_without);
  return result;
}

}  // namespace warpledger::exec
