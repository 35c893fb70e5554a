// `warpledger profile ./app arguments`: runs a program with the doors (interpose/) in place
// of NVIDIA's libraries and collects the profiles of its launches.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/commands/profile_ncu.h"
#include "cli/options/range_flags.h"
#include "cli/terminal/session.h"
#include "warpledger/exec/run/engine.h"
#include "warpledger/profile/sampling/sampling_options.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::cli {

struct ProgramRequest {
  std::vector<std::string> command;
  std::string gpu;
  std::string kernels;                     // ncu's -k: a base name, or regex:...; empty: all
  std::optional<uint64_t> skip;            // ncu's -s: matching launches that are only run
  std::optional<uint64_t> count;           // ncu's -c: how many after those are profiled
  profile::SamplingOptions sampling = {};  // of launches that would take long
  double timeout = 0;
  std::string name_base = "function";
  uint64_t skip_before_match = 0;
  bool sass = true;
  bool check_races = false;  // in global memory too
  bool continue_on_error = false;
  bool store = true;
  bool profiles = true;          // false: the program only runs
  bool all_launches = false;     // each is modeled, whatever it repeats
  bool trials = false;           // those of autotuners are profiled too
  uint64_t devices = 1;          // all of that GPU
  std::string trace = {};        // the file that gets all work over time
  bool code = false;             // the PTX of what is profiled is wanted
  bool torch_allocator = false;  // PyTorch's caching allocator stays on
  RangeFlags ranges = {};        // the parts of the program that are profiled
  std::string aten = "cpu";      // who computes PyTorch's operators
  bool verbose = false;
  bool isolate = false;  // it writes no files of the user's, and has no network
  exec::EngineChoice engine = exec::EngineChoice::kAuto;
};

struct ProgramRun {
  std::vector<profile::Profile> profiles;
  uint64_t launches = 0;  // all that the program made
  int exit_code = 0;      // the program's; 128 + the number of a signal that ended it, or us
  profile::KernelTexts texts = {};  // where code is wanted
};

/// The folder of the drop-in CUDA libraries: where the build puts them, or where they are
/// installed.
[[nodiscard]] Result<std::filesystem::path> library_folder();

/// Fails when the program cannot be run under the doors, and says how to build it so that it can.
[[nodiscard]] Result<ProgramRun> run_program(Session& session, const ProgramRequest& request);

/// Finds the program among the arguments of `profile` or `explain`: what follows "--", or the first
/// argument that is neither an option nor its value and names something executable. It and all
/// behind it go to session.program. Returns how many arguments are left.
[[nodiscard]] int take_program(Command& app, Session& session, int argc, char** argv);

}  // namespace warpledger::cli
