// Runs a launch without values and says how it differs from one with them.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <string>

#include "warpledger/exec/reference/engine.h"
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

/// What a launch without values did.
struct AddressOnly {
  std::string error, code, trace, output;
  Statistics statistics;
  Slice slice;

  /// From the same launch with values; empty when there is none, or when this one said that it
  /// needs values.
  [[nodiscard]] std::string difference(const std::string& error_then, const std::string& trace_then,
                                       const std::string& output_then,
                                       const Statistics& statistics_then) const {
    if (code == kValuesNeeded) return {};
    if (error != error_then) return "with values: " + error_then + "\nwithout: " + error;
    if (output != output_then) return "with values: " + output_then + "\nwithout: " + output;
    if (trace != trace_then) {
      return "traces differ\nwith values:\n" + trace_then.substr(0, 20000) + "\nwithout:\n" +
             trace.substr(0, 20000);
    }
    if (!error.empty() || described(statistics) == described(statistics_then)) return {};
    return "with values: " + described(statistics_then) + "\nwithout: " + described(statistics);
  }
};

/// By the interpreter. Memory and poison are afterwards as before.
inline AddressOnly run_address_only(Image& image, const Launch& launch, const Limits& limits,
                                    uint32_t slots) {
  const MemorySnapshot before(image.memory());
  AddressOnly result;
  auto engine = reference::Engine::create(
      image, launch, limits,
      std::make_shared<ValueWatch>(image.memory(), ValueWatch::Grain::kBytes));
  if (!engine) {
    result.error = to_text(engine.error());
    return result;
  }
  result.slice = (*engine)->slice();
  if (!result.slice.is_cut) {
    result.code = kValuesNeeded;
    return result;
  }
  trace::DumpSink dump;
  const auto done = reference::run_launch(**engine, dump, slots);
  result.output = (*engine)->take_output();
  result.trace = dump.text();
  if (done) result.statistics = *done;
  if (!done) result.error = to_text(done.error()), result.code = done.error().code;
  (*engine)->watch()->take_back();
  if (const std::string left = before.compare(MemorySnapshot(image.memory())); !left.empty())
    result.error = result.code = "taking back leaves " + left;
  return result;
}

}  // namespace warpledger::exec
