// What the user asked of `warpledger profile`, as it reaches the program: environment variables.
#pragma once

#include <cstdint>
#include <string>

#include "warpledger/exec/run/engine.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::cuda {

struct Settings {
  std::string gpu = "a100-80";  // WARPLEDGER_GPU
  std::string report;           // WARPLEDGER_REPORT: where profiles are written; empty: none made
  /// Which launches are profiled: WARPLEDGER_KERNELS (a name, or regex:...), _KERNEL_NAME_BASE,
  /// _LAUNCH_SKIP_BEFORE_MATCH, _LAUNCH_SKIP, _LAUNCH_COUNT.
  profile::LaunchSelection selection;
  bool all_launches = false;  // WARPLEDGER_ALL_LAUNCHES=1: each is modeled, whatever it repeats
  bool progress = false;      // WARPLEDGER_PROGRESS=1: standard error is a terminal, with a reader
  double timeout = 0;         // WARPLEDGER_TIMEOUT: seconds a launch may take here; 0: any
  bool witness = true;        // WARPLEDGER_WITNESS=0: ptxas is not asked
  bool check_races = false;   // WARPLEDGER_RACECHECK=1: races in global memory are looked for too
  std::string tools;          // WARPLEDGER_TOOLS: what tells ptxas and nvdisasm from others
  bool store = true;          // WARPLEDGER_NO_STORE=1: profiles are neither found nor kept
  bool verbose = false;       // WARPLEDGER_VERBOSE=1: what the door does, on standard error
  uint64_t memory_bytes = uint64_t{24} << 30;  // WARPLEDGER_MEMORY, in MiB; assumed: see docs
  exec::EngineChoice engine = exec::EngineChoice::kAuto;  // WARPLEDGER_ENGINE
};

[[nodiscard]] Settings read_settings();

}  // namespace warpledger::cuda
