// Runs a launch through both engines from the same memory and compares every byte and every record.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "warpledger/exec/jit/engine.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::exec {

/// The live allocations' bytes, and how to put them back.
class MemorySnapshot {
 public:
  explicit MemorySnapshot(DeviceMemory& memory) : memory_(memory) {
    for (const auto& [address, allocation] : memory.allocations()) {
      if (allocation.is_free || allocation.bytes == 0) continue;
      const auto* bytes = reinterpret_cast<const char*>(memory.find(address, allocation.bytes));
      held_[address].assign(bytes, allocation.bytes);
    }
  }
  void restore() const {
    for (const auto& [address, bytes] : held_)
      std::memcpy(memory_.find(address, bytes.size()), bytes.data(), bytes.size());
  }
  /// The first difference as text; empty when there is none.
  [[nodiscard]] std::string compare(const MemorySnapshot& other) const {
    for (const auto& [address, bytes] : held_) {
      const std::string& theirs = other.held_.at(address);
      for (size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] == theirs[i]) continue;
        return fmt::format("byte {} of {:#x} ({}): interpreter {:02x}, JIT {:02x}", i, address,
                           memory_.allocations().at(address).name,
                           static_cast<unsigned char>(bytes[i]),
                           static_cast<unsigned char>(theirs[i]));
      }
    }
    return {};
  }

 private:
  DeviceMemory& memory_;
  std::map<uint64_t, std::string> held_;
};

inline bool can_compile() { return static_cast<bool>(jit::load_compiler()); }

struct JitRun {
  std::string error;  // empty: done
  std::string code;   // of the error
  std::string trace;
  Statistics statistics;
  std::vector<InstructionCount> counts;
};

inline JitRun run_jit(Image& image, const Launch& launch, const Limits& limits, uint32_t slots,
                      bool record = true) {
  const auto failed = [](const Diagnostic& diagnostic) {
    return JitRun{.error = to_text(diagnostic), .code = diagnostic.code};
  };
  auto engine = jit::Engine::create(image, launch, jit::shared_code_cache({}),
                                    {.record = record, .count = true, .limits = limits});
  if (!engine) return failed(engine.error());
  trace::DumpSink dump;
  const Status done = trace::run_all(**engine, dump, slots);
  if (!done) return failed(done.error());
  return {.trace = dump.text(),
          .statistics = (*engine)->statistics(),
          .counts = (*engine)->instruction_counts()};
}

inline std::string described(const Statistics& s) {
  std::string text = fmt::format(
      "{} CTAs, {} warps, {} warp and {} thread instructions, {} barriers, {} partings; ", s.ctas,
      s.warps, s.warp_instructions, s.thread_instructions, s.barriers, s.divergent_branches);
  for (const uint64_t count : s.by_family) text += fmt::format("{} ", count);
  for (const Statistics::Accesses& a : s.by_space) {
    text += fmt::format("; {} {} {} {} {}", a.loads, a.stores, a.atomics, a.lanes, a.bytes);
  }
  return text;
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
