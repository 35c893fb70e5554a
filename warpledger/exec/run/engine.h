// exec/run/: which engine runs a launch, and what happens when it turns out to be the wrong one:
// compiled code (jit/) where that works, else the interpreter; machine code (machine/) where that
// is asked for or is all there is; without values where nobody needs them, and with them after all
// (deferred.h) where somebody does.
//
// Whoever runs kernels includes this file and neither engine. The room must not know what a launch
// is profiled for.
#pragma once

#include "warpledger/exec/decode/code_uses.h"
#include "warpledger/exec/decode/engine.h"

namespace warpledger::exec {

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

/// How often compiled code of the folder was at hand in this process.
[[nodiscard]] CodeUses code_uses(const std::string& folder);

/// Where compiled code is kept when nobody says otherwise: $WARPLEDGER_CODE, else the user's cache
/// folder; empty when there is neither.
[[nodiscard]] std::string default_code_folder();

}  // namespace warpledger::exec
