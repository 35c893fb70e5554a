// Runs a launch through both engines from the same memory and compares every byte and every record.
#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/exec/address_only.h"
#include "warpledger/exec/jit/engine.h"
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

/// What the two engines disagree on; empty when they agree or the JIT leaves it to the interpreter.
/// The memory is left as the interpreter made it, `trace` holds its records.
struct Comparison {
  std::string error;  // of the interpreter
  std::string difference;
  std::string trace;
  Statistics statistics;
  std::string output;
  bool compiled = false;
};

inline Comparison compare_engines(Image& image, const Launch& launch, const Limits& limits,
                                  uint32_t slots) {
  Comparison result;
  const MemorySnapshot before(image.memory());
  const JitRun compiled = run_jit(image, launch, limits, slots);
  const MemorySnapshot by_jit(image.memory());
  before.restore();
  auto engine = reference::Engine::create(image, launch, limits);
  if (!engine) {
    result.error = to_text(engine.error());
    return result;
  }
  trace::DumpSink dump;
  const auto done = reference::run_launch(**engine, dump, slots);
  result.output = (*engine)->take_output();
  result.trace = dump.text();
  if (!done)
    result.error = to_text(done.error());
  else
    result.statistics = *done;
  result.compiled = compiled.code != "jit-unsupported" && compiled.code != "jit-needs-interpreter";
  if (!result.compiled) return result;
  if (compiled.error != result.error) {
    result.difference = "interpreter: " + result.error + "\nJIT: " + compiled.error;
  } else if (result.error.empty()) {
    result.difference = MemorySnapshot(image.memory()).compare(by_jit);
    if (result.difference.empty() && compiled.trace != result.trace) {
      result.difference = "traces differ\ninterpreter:\n" + result.trace.substr(0, 20000) +
                          "\nJIT:\n" + compiled.trace.substr(0, 20000);
    }
    if (result.difference.empty() &&
        described(compiled.statistics) != described(result.statistics)) {
      result.difference = "interpreter: " + described(result.statistics) +
                          "\nJIT: " + described(compiled.statistics);
    }
    if (result.difference.empty() && compiled.counts != (*engine)->instruction_counts())
      result.difference = "instructions are counted differently";
  }
  return result;
}

}  // namespace warpledger::exec
