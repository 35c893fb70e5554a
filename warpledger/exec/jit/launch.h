// A launch through whichever engine can run it.
#pragma once

#include "warpledger/exec/jit/engine.h"

namespace warpledger::exec::jit {

enum class EngineChoice {
  kAuto,       // compiled where that works, else interpreted, and the outcome says why
  kJit,        // compiled or not at all
  kReference,  // interpreted
};

struct LaunchOptions {
  EngineChoice engine = EngineChoice::kAuto;
  Limits limits = {};
  uint32_t slots = 64;           // CTAs that are resident at once
  bool record = false;           // the sink wants records
  std::string code_folder = {};  // where compiled code is kept; empty: nowhere
};

struct LaunchOutcome {
  Statistics statistics;
  std::string output;               // of device-side printf
  std::optional<Diagnostic> fault;  // of the kernel: what ended it before its time
  bool compiled = false;
  std::string why_not;  // kAuto: what the interpreter was needed for
};

/// Runs the launch; the trace goes to `sink`. Fails when it cannot begin. With kAuto, a launch that
/// turns out to need the interpreter is run again from the memory it began with; one that might,
/// and whose records are wanted, is interpreted from the start.
[[nodiscard]] Result<LaunchOutcome> run_launch(Image& image, const exec::Launch& launch,
                                               trace::Sink& sink, const LaunchOptions& options);

}  // namespace warpledger::exec::jit
