// What the user asked of `warpledger profile`, as it reaches the program: environment variables.
#pragma once

#include <cstdint>
#include <string>

#include "warpledger/exec/engine.h"

namespace warpledger::cuda {

struct Settings {
  std::string gpu = "a100-80";  // WARPLEDGER_GPU
  std::string report;           // WARPLEDGER_REPORT: where profiles are written; empty: none made
  std::string kernels;          // WARPLEDGER_KERNELS: a base name, or regex:...
  uint64_t skip = 0;            // WARPLEDGER_LAUNCH_SKIP, of the launches that match
  uint64_t count = UINT64_MAX;  // WARPLEDGER_LAUNCH_COUNT, after those
  double timeout = 0;           // WARPLEDGER_TIMEOUT: seconds a launch may take here; 0: any
  bool witness = true;          // WARPLEDGER_WITNESS=0: ptxas is not asked
  bool verbose = false;         // WARPLEDGER_VERBOSE=1: what the door does, on standard error
  uint64_t memory_bytes = uint64_t{24} << 30;  // WARPLEDGER_MEMORY, in MiB; assumed: see docs
  exec::EngineChoice engine = exec::EngineChoice::kAuto;  // WARPLEDGER_ENGINE
};

[[nodiscard]] Settings read_settings();

/// Whether `-k` takes this kernel: its base name, as ncu's --kernel-name-base function has it, is
/// `pattern`, or the expression after "regex:" is found in it. An empty pattern takes all.
[[nodiscard]] bool takes_kernel(const std::string& pattern, const std::string& mangled);

}  // namespace warpledger::cuda
