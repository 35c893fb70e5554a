// The seam between a launch and what runs it: compiled code (jit/) or the interpreter (reference/).
// Whoever runs kernels includes this file and neither of those.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "warpledger/exec/launch.h"
#include "warpledger/trace/sink.h"

namespace warpledger::exec {

enum class EngineChoice {
  kAuto,       // compiled where that works, else interpreted, and the engine says why
  kJit,        // compiled or not at all
  kReference,  // interpreted
};

/// Whether a launch computes what no address depends on (exec/slice/). Counts, records and marks
/// are the same.
enum class Values {
  kAuto,  // for open_engine() and run_launch() kOff; commands decide by what is asked of them
  kOn,
  kOff,  // not, as long as nobody needs it; see ValueWatch and Deferred
};

class Deferred;
class Engine;

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
  std::string code_folder = {};  // where compiled code is kept; empty: nowhere
};

/// Executions of one PTX instruction.
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

/// Fails when the launch cannot begin. With EngineChoice::kAuto, a launch that may turn out to need
/// the interpreter is interpreted from the start, so that its records need never be taken back,
/// unless the caller may begin again. The image must outlive the engine.
[[nodiscard]] Result<std::unique_ptr<Engine>> open_engine(Image& image, const Launch& launch,
                                                          const EngineOptions& options = {});

/// Whether what the launch asks of the machine (the instructions of its warps and the addresses of
/// their accesses) follows from its shape and parameters alone, whatever memory holds. False where
/// that cannot be shown, and for launches that cannot begin.
[[nodiscard]] bool is_fixed_by_parameters(Image& image, const Launch& launch);

struct LaunchOutcome {
  Statistics statistics;
  std::string output;               // of device-side printf
  std::optional<Diagnostic> fault;  // of the kernel: what ended it before its time
  bool compiled = false;
  std::string why_not;  // kAuto: what the interpreter was needed for
  bool had_values = true;
  double compile_seconds = 0;
};

/// Runs the launch, up to `slots` CTAs at once; the trace goes to `sink`. Fails when it cannot
/// begin. With kAuto and nothing recorded, a launch that turns out to need the interpreter is run
/// again from the memory it began with; so is one that turns out to need values, its own or earlier
/// ones' (those of `options.deferred`): sink.begin() is then called a second time.
[[nodiscard]] Result<LaunchOutcome> run_launch(Image& image, const Launch& launch,
                                               trace::Sink& sink, const EngineOptions& options,
                                               uint32_t slots = 64);

/// Where compiled code is kept when nobody says otherwise: $WARPLEDGER_CODE, else the user's cache
/// folder; empty when there is neither.
[[nodiscard]] std::string default_code_folder();

}  // namespace warpledger::exec
