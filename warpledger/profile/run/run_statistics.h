// Where warpledger's own time went (`profile --stats`): phases of a question, and what the run did.
#pragma once

#include <atomic>

#include "warpledger/base/stopwatch.h"
#include "warpledger/base/table.h"
#include "warpledger/exec/decode/code_uses.h"
#include "warpledger/exec/run/engine.h"
#include "warpledger/trace/sink.h"

namespace warpledger::profile {

// The phases, in their order.
namespace phase {
inline constexpr const char* kSource = "read or compile the source";
inline constexpr const char* kStore = "store";
inline constexpr const char* kParse = "parse the PTX";
inline constexpr const char* kMachineCode = "ptxas and nvdisasm";
inline constexpr const char* kCode = "decode and compile";
inline constexpr const char* kPilot = "choose a sample";
inline constexpr const char* kRun = "run and replay";
inline constexpr const char* kModel = "time model and description";
inline constexpr const char* kProgram = "the program, with its launches";
inline constexpr const char* kPrint = "print";
}  // namespace phase

class TimedProducer;

struct RunStatistics {
  Stopwatch watch = {};
  uint64_t modeled = 0, bare = 0;  // launches through the models, and without them
  uint64_t from_store = 0;         // answers that were kept from before
  exec::CodeUses code = {};        // of compiled kernels
  double compile_cpu_seconds = 0;
  double engine_cpu_seconds = 0;  // part of phase::kRun: the kernel itself, probes, race check
  uint64_t records = 0;           // slots of 16 bytes that the engine wrote for the replay
  uint64_t accesses = 0;          // of warps, in these

  /// A launch went through the models.
  void note(const exec::Engine& engine, const std::string& code_folder, const TimedProducer& timed);
};

/// Between an engine and the replay: how long the engine runs, and what it writes.
class TimedProducer : public trace::Producer {
 public:
  explicit TimedProducer(trace::Producer& engine) : engine_(engine) {}

  [[nodiscard]] const trace::Launch& launch() const override { return engine_.launch(); }
  [[nodiscard]] trace::Freedom freedom() const override { return engine_.freedom(); }
  void set_slots(uint32_t slots) override { engine_.set_slots(slots); }
  void start(uint32_t slot, uint64_t cta) override { engine_.start(slot, cta); }
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return engine_.buffers(slot);
  }

  void add_to(RunStatistics& statistics) const;

 private:
  trace::Producer& engine_;
  std::atomic<uint64_t> nanoseconds_ = 0, records_ = 0, accesses_ = 0;  // run() is parallel
};

/// Phases, wall and processor seconds, the rest of the time, the total.
[[nodiscard]] Table phase_table(const RunStatistics& statistics);
/// Launches, code, records, accesses a second.
[[nodiscard]] Table work_table(const RunStatistics& statistics);

}  // namespace warpledger::profile
