// The options of `warpledger profile` that ncu's users' fingers know, and those that say where its
// answer comes from and goes to: -s -c --section -o --import --no-store.
#pragma once

#include "cli/commands/profile_output.h"
#include "cli/options/range_flags.h"
#include "warpledger/profile/value/launch_filter.h"

namespace warpledger::cli {

struct ProfileFlags {
  uint64_t launch_skip = 0, launch_skip_before_match = 0;
  std::optional<uint64_t> launch_count;
  std::vector<std::string> sections;
  std::string report;    // -o
  std::string imported;  // --import
  bool force = false;
  bool no_pages = false;
  bool no_store = false;
  bool all_launches = false;
  bool trials = false;
  std::string trace = {};
  uint64_t devices = 1;
  bool isolate = false;
  bool torch_allocator = false;
  std::string aten = "cpu";
  RangeFlags ranges = {};
  std::string log_file = {};  // of what is printed; "": standard output
  bool verbose = false;
  bool stats = false;
};

void add_profile_flags(Command& command, ProfileFlags& flags);

/// The launches that -k (as ncu reads it), -s and -c choose; `pattern` "": every kernel.
[[nodiscard]] Result<profile::LaunchFilter> launch_filter(
    const ProfileFlags& flags, const std::string& pattern,
    profile::NameBase base = profile::NameBase::kFunction);

/// What --section and -o mean for printing: .html is the report for people; a name without an
/// ending gets .wlrep.
[[nodiscard]] Status apply(const ProfileFlags& flags, ProfileOutput& output);

/// Prints the chosen launches of a report.
[[nodiscard]] Status print_imported(Session& session, const ProfileFlags& flags,
                                    profile::LaunchFilter filter, const ProfileOutput& output);

/// ncu says the same.
void say_nothing_profiled(Session& session);

}  // namespace warpledger::cli
