// What the user asked of `warpledger profile`, as the device in the program uses it. It comes as
// one file, see settings_file.h.
#pragma once

#include <cstdint>
#include <string>

#include "warpledger/exec/run/engine.h"
#include "warpledger/profile/sampling/sampling_options.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::cuda {

struct SettingsFile;

/// Holds the path of the file. Without it: an A100, nothing is profiled.
inline constexpr const char* kSettingsVariable = "WARPLEDGER_SETTINGS";

/// The device's memory, which the GPU files do not have, where the host has as much.
inline constexpr uint64_t kAssumedMemory = uint64_t{24} << 30;

struct Settings {
  std::string gpu = "a100-80";
  std::string report;                      // where profiles are written; empty: none made
  profile::LaunchSelection selection;      // which launches are profiled
  bool all_launches = false;               // each is modeled, whatever it repeats
  bool trials = false;                     // those of autotuners are profiled too
  bool trace = false;                      // all work on the streams' clock is reported
  bool code = false;                       // the PTX of what is profiled is reported
  bool progress = false;                   // standard error is a terminal, with a reader
  profile::SamplingOptions sampling;       // which blocks of long launches are modeled
  double timeout = 0;                      // seconds a launch may take here; 0: any
  bool sass = true;                        // ptxas is asked
  bool check_races = false;                // in global memory too
  bool continue_on_error = false;          // from accesses out of bounds
  std::string tools;                       // what tells ptxas and nvdisasm from others
  bool store = true;                       // profiles are found and kept from run to run
  bool verbose = false;                    // what the door does, on standard error
  int devices = 1;                         // all of that GPU
  uint64_t memory_bytes = kAssumedMemory;  // at most what the host has; see docs
  exec::EngineChoice engine = exec::EngineChoice::kAuto;
};

/// Fails on a pattern that is none.
[[nodiscard]] Result<Settings> settings_of(const SettingsFile& file);

/// Of this process: the file that kSettingsVariable names, and WARPLEDGER_MEMORY (MiB), which a
/// user may set. Fails where either cannot be read.
[[nodiscard]] Result<Settings> read_settings();

}  // namespace warpledger::cuda
