// Runs PTX in a test: buffers in, a launch, buffers out.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/loaded_ptx.h"
#include "tests/unit/exec/decode/address_only.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/trace/sinks.h"
#ifdef WL_TEST_JIT
#include "tests/unit/exec/jit/both.h"
#endif
#ifdef WL_TEST_MACHINE
#include "tests/support/machine/same.h"
#endif

namespace warpledger::exec {

class TestMachine {
 public:
  explicit TestMachine(std::string text, std::string name = "test.ptx")
      : loaded_(test::load_ptx(std::move(name), std::move(text), memory_)) {}

  [[nodiscard]] bool is_loaded() const { return !loaded_.error; }
  DeviceMemory& memory() { return memory_; }
  Image& image() { return *loaded_.image; }
  Limits limits = {};
  Statistics statistics = {};
  std::string output;

  template <class T>
  uint64_t put(const std::vector<T>& values, const std::string& name = "buffer") {
    const uint64_t address = *memory_.allocate(values.size() * sizeof(T), name);
    std::memcpy(memory_.find(address, values.size() * sizeof(T)), values.data(),
                values.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> get(uint64_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory_.find(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }

  /// The parameters one after another, each at its natural alignment.
  template <class... T>
  static std::vector<std::byte> pack(const T&... values) {
    std::vector<std::byte> bytes;
    const auto add = [&](const auto& value) {
      bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
      const auto* raw = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), raw, raw + sizeof value);
    };
    (add(values), ...);
    return bytes;
  }

  /// Runs, checks the trace's contract, and keeps the trace's text. An empty result is success.
  std::string run(Launch launch, uint32_t slots = 8) {
    if (loaded_.error) return to_text(*loaded_.error);
#ifdef WL_TEST_JIT  // test_both: every test also compares the compiled engine with the interpreter
    const Comparison both = compare_engines(*loaded_.image, launch, limits, slots);
    EXPECT_EQ(both.difference.substr(0, 2000), "");
    output = both.output;
    statistics = both.statistics;
    trace = both.trace;
    return both.error;
#else
#ifdef WL_TEST_MACHINE  // test_machine_code: every test also compares the machine code
    EXPECT_EQ(machine::compare_with_ptx(*loaded_.image, launch, limits, slots), "");
#endif
    const Observed without = run_address_only(*loaded_.image, launch, limits, slots);
    auto engine = reference::Engine::create(*loaded_.image, launch, limits);
    if (!engine) return to_text(engine.error());
    const Observed with = observe(**engine, slots);
    EXPECT_EQ(with.difference(without), "");
    output = with.output;
    trace = with.trace;
    statistics = with.statistics;
    return with.error;
#endif
  }
  std::string trace;

  /// Runs again and gives what is wrong with the trace, by trace.h's contract.
  std::vector<std::string> trace_faults(const Launch& launch) {
    auto engine = reference::Engine::create(*loaded_.image, launch, limits);
    trace::CheckSink sink;
    if (!engine || !reference::run_launch(**engine, sink, 4)) return {"it does not run"};
    return sink.faults();
  }

 private:
  DeviceMemory memory_{uint64_t{1} << 32};
  test::LoadedPtx loaded_;
};

/// `.version` line, target and one kernel `k` with that body and parameters "p0" (u64), "p1" ...
inline std::string kernel_text(const std::string& body, int params = 1,
                               const std::string& target = "sm_80",
                               const std::string& version = "8.4") {
  std::string text =
      ".version " + version + "\n.target " + target + "\n.address_size 64\n.visible .entry k(";
  for (int i = 0; i < params; ++i)
    text += std::string(i == 0 ? "" : ", ") + ".param .u64 p" + std::to_string(i);
  return text + ")\n{\n" + body + "\n}\n";
}

}  // namespace warpledger::exec
