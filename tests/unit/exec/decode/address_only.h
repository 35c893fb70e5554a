// Runs a launch without values and says how it differs from one with them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/memory/snapshot.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::exec {

/// The first byte in which they differ, as text; empty when there is none.
inline std::string first_difference(const MemorySnapshot& ours, const MemorySnapshot& theirs) {
  for (const auto& [address, bytes] : ours.held()) {
    const std::vector<std::byte>& others = theirs.held().at(address);
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == others[i]) continue;
      return fmt::format("byte {} of {:#x} ({}): {:02x} and {:02x}", i, address,
                         ours.memory().allocations().at(address).name,
                         std::to_integer<unsigned>(bytes[i]), std::to_integer<unsigned>(others[i]));
    }
  }
  return {};
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

/// What a launch did.
struct Observed {
  std::string error, code, trace, output;
  Statistics statistics;
  std::vector<InstructionCount> counts;

  /// Empty when the same launch without values did the same, or said that it needs values.
  [[nodiscard]] std::string difference(const Observed& without) const {
    if (without.code == kValuesNeeded) return {};
    if (error != without.error) return "with values: " + error + "\nwithout: " + without.error;
    if (!error.empty()) return {};
    if (output != without.output) return "with values: " + output + "\nwithout: " + without.output;
    if (trace != without.trace) {
      return "traces differ\nwith values:\n" + trace.substr(0, 20000) + "\nwithout:\n" +
             without.trace.substr(0, 20000);
    }
    if (described(statistics) != described(without.statistics)) {
      return "with values: " + described(statistics) +
             "\nwithout: " + described(without.statistics);
    }
    return counts == without.counts ? "" : "instructions are counted differently";
  }
};

inline Observed observe(Engine& engine, uint32_t slots) {
  trace::DumpSink dump;
  const Status done = trace::run_all(engine, dump, slots);
  Observed observed{.output = engine.take_output()};
  if (!done) observed.error = to_text(done.error()), observed.code = done.error().code;
  observed.trace = dump.text();
  observed.statistics = engine.statistics();
  observed.counts = engine.instruction_counts();
  return observed;
}

/// A run without values, taken back: memory and poison are afterwards as before.
inline Observed observe_without_values(Engine& engine, DeviceMemory& memory, uint32_t slots) {
  if (engine.watch() == nullptr) return {.error = "not cut", .code = kValuesNeeded};
  const MemorySnapshot before(memory);
  Observed observed = observe(engine, slots);
  engine.watch()->take_back();
  const std::string left = first_difference(before, MemorySnapshot(memory));
  if (!left.empty()) observed.error = observed.code = "taking back leaves " + left;
  return observed;
}

/// By the interpreter.
inline Observed run_address_only(Image& image, const Launch& launch, const Limits& limits,
                                 uint32_t slots) {
  auto engine = reference::Engine::create(
      image, launch, limits,
      std::make_shared<ValueWatch>(image.memory(), ValueWatch::Grain::kBytes));
  if (!engine) return {.error = to_text(engine.error())};
  return observe_without_values(**engine, image.memory(), slots);
}

}  // namespace warpledger::exec
