// What `warpledger profile ./app` asks of the libraries in the program, handed over as one JSON
// file whose path is in WARPLEDGER_SETTINGS:
//
//   { "query": { "gpu": "rtx3090", "kernel": "regex:matmul", "options": { "sass": false } },
//     "report": "/tmp/x/profiles", "launch_count": 1 }
//
// What is left out has its default; an unknown field is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "warpledger/profile/run/query.h"

namespace warpledger::cuda {

inline constexpr uint64_t kMostMemoryMib = uint64_t{1} << 24;  // 16 TiB

struct SettingsFile {
  /// Of a launch only kernel and kernel_name_base, which choose (ncu's -k); of the options
  /// sampling, sass, check_races, continue_on_error, engine and timeout_seconds, for each launch.
  /// The rest is the program's to say.
  profile::Query query = {};
  std::string report = {};                     // where profiles are written; "": none are made
  uint64_t launch_skip_before_match = 0;       // launches of any kernel, first
  uint64_t launch_skip = 0;                    // ncu's -s: matching launches that are only run
  std::optional<uint64_t> launch_count = {};   // ncu's -c: how many after those are profiled
  bool all_launches = false;                   // each is modeled, whatever it repeats
  bool trials = false;                         // those of autotuners are profiled too
  bool trace = false;                          // all work on the streams' clock is reported
  bool code = false;                           // the PTX of what is profiled is reported
  bool progress = false;                       // standard error is a terminal, with a reader
  bool verbose = false;                        // what the libraries do, on standard error
  bool store = true;                           // profiles are found and kept from run to run
  std::string tools = {};                      // what tells ptxas and nvdisasm from others
  uint64_t devices = 1;                        // all of that GPU
  std::string aten = "cpu";                    // who computes PyTorch's operators; or "gpu"
  std::optional<uint64_t> memory_mib = {};     // of each
  bool profile_from_start = true;              // before cudaProfilerStart too
  bool heeds_profiler_calls = true;            // cudaProfilerStart and Stop
  std::vector<std::string> nvtx_include = {};  // ncu's expressions: launches in one of these ranges
  std::vector<std::string> nvtx_exclude = {};  // and in none of these
  std::string range_filter = {};               // ncu's: which instances of them
};

/// Every field, in a fixed order.
[[nodiscard]] std::string to_json(const SettingsFile& settings);

/// Fails with "bad-settings", also on a question that is not a program's.
/// Post: to_json(*settings_from_json(Source(_, to_json(s)))) == to_json(s), for such an s.
[[nodiscard]] Result<SettingsFile> settings_from_json(const Source& source);

/// Of this process: the file that kSettingsVariable names; without one the defaults.
[[nodiscard]] Result<SettingsFile> read_settings_file();

}  // namespace warpledger::cuda
