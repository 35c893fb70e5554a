// The seam between a launch and what runs it: what both engines are to the rest. exec/run/ opens
// one; whoever drives an engine needs this file alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "warpledger/exec/decode/launch.h"
#include "warpledger/trace/sink.h"
#include "warpledger/trace/sync_log.h"

namespace warpledger::exec {

enum class EngineChoice {
  kAuto,       // compiled where that works, else interpreted, and the engine says why
  kJit,        // compiled or not at all
  kReference,  // interpreted
  kMachine,    // as machine code: what ptxas makes of the PTX (exec/machine/)
};

/// Whether a launch computes what no address depends on (exec/decode/slice/). Counts, records and
/// marks are the same.
enum class Values {
  kAuto,  // for open_engine() and run_launch() kOff; commands decide by what is asked of them
  kOn,
  kOff,  // not, as long as nobody needs it; see ValueWatch and Deferred
};

class Deferred;
class Engine;
class Image;
class ValueWatch;
namespace machine {
struct Listing;
}

struct EngineOptions {
  EngineChoice engine = EngineChoice::kAuto;
  bool record = true;  // false: buffers hold nothing but starts and ends
  bool count = false;  // fill statistics() and instruction_counts(); the interpreter always does
  Values values = Values::kOn;
  Deferred* deferred = nullptr;  // run_launch(): keeps the launches that ran without values
  /// run_launch(): who stands between the engine and the sink. Called whenever a launch begins.
  std::function<trace::Producer&(Engine&)> between = nullptr;
  /// open_engine() with kAuto: the caller begins again, from the memory it began with and without
  /// this, when run() is refused with Fallback::kInterpreter.
  bool may_begin_again = false;
  Limits limits = {};
  std::string code_folder = {};   // where compiled code is kept; empty: nowhere
  std::string architecture = {};  // kMachine: what ptxas compiles for; empty: as the PTX says
  /// kMachine: compiled where that works (exec/translate/), else interpreted, and the engine says
  /// why.
  bool compile_machine_code = false;
};

/// Executions of one instruction: of PTX, or of machine code where that runs.
struct InstructionCount {
  uint64_t executions = 0;  // by warps, also with the predicate false in every lane
  uint64_t lanes = 0;       // that executed it, predicates respected
  friend bool operator==(const InstructionCount&, const InstructionCount&) = default;
};

/// One launch, ready to run or running. trace::run_all() drives it, or memory/'s replay.
class Engine : public trace::Producer {
 public:
  /// What the launch did so far. Pre: options.count.
  [[nodiscard]] virtual Statistics statistics() const = 0;
  /// By instruction, numbered as trace::Site::instruction: the kernel's first, then those of the
  /// functions it calls. Pre: options.count.
  [[nodiscard]] virtual std::vector<InstructionCount> instruction_counts() const = 0;
  /// What device-side printf wrote since the last call.
  [[nodiscard]] virtual std::string take_output() = 0;
  [[nodiscard]] virtual bool compiled() const = 0;
  /// Logs that block (trace/sync_log.h) where the kernel has mbarriers. Pre: before it starts, and
  /// options.count.
  virtual void log_block(uint64_t) {}
  /// Null where there is none: the kernel has no mbarriers, or machine code runs.
  [[nodiscard]] virtual const trace::BlockLog* block_log() const { return nullptr; }
  /// Of an engine that runs machine code: its instructions, numbered as instruction_counts().
  /// Null where PTX runs.
  [[nodiscard]] virtual const machine::Listing* listing() const { return nullptr; }
  /// To compile this launch's kernel: processor seconds; 0 where the code was there already.
  [[nodiscard]] virtual double compile_seconds() const { return 0; }
  /// Whether run() may be refused with Fallback::kInterpreter: the launch must then be run again
  /// from the memory it began with. run_launch() does that.
  [[nodiscard]] virtual bool may_need_interpreter() const { return false; }

  /// The same launch once more with other parameters, nothing decoded or compiled again; counts
  /// start from zero. False when this engine cannot. Pre: the last run ended without a fault.
  [[nodiscard]] virtual bool renew(const std::vector<std::byte>&) { return false; }

  /// Of a launch without values, else null: a kernel may have to be run with values though nobody
  /// asked. run() may then be refused with Fallback::kValues: begin again, from the memory the
  /// launch began with (ValueWatch::take_back()), with values. run_launch() does that.
  [[nodiscard]] virtual std::shared_ptr<ValueWatch> watch() const { return nullptr; }

  /// kAuto: what the interpreter was needed for; empty for compiled launches.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  void set_why_not(std::string why) { why_not_ = std::move(why); }

 private:
  std::string why_not_;
};

// Codes, for messages; what may be done about them is their Diagnostic::fallback.
inline constexpr const char* kNeedsInterpreter = "jit-needs-interpreter";
inline constexpr const char* kValuesNeeded = "values-needed";

}  // namespace warpledger::exec
