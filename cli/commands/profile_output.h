// What `warpledger profile` prints: the first screen, ncu's pages, ncu's CSV.
#pragma once

#include "cli/commands/profile_html.h"
#include "cli/commands/profile_ncu.h"
#include "cli/options/ci_options.h"
#include "cli/terminal/output.h"
#include "warpledger/profile/metrics/section_choice.h"

namespace warpledger::cli {

struct ProfileOutput {
  std::string page = "details";
  std::string source_view;           // of the source page: sass, ptx, cuda or cuda,sass; "": ours
  std::string units;                 // auto, base; "": base on the raw page
  std::vector<std::string> metrics;  // only these
  std::vector<std::string> explain;  // instead: why these have their values
  bool brief = false;                // instead: 15 lines a launch (profile/explain/)
  std::string against;               // of briefs: the earlier profile
  size_t most_briefs = 5;            // of the launches that take longest; 0: all
  profile::SectionChoice sections = {profile::sections(), true};
  bool all_sections = true;      // no --section: the first screen too
  bool csv = false;              // ncu's CSV
  std::string summary = "none";  // ncu's --print-summary: of all launches of a kernel
  bool pages = true;             // anything is printed
  bool is_list = false;          // a program's launches: JSON is an array, however many there are
  std::string report;            // also written: what --import reads
  NcuReportOptions ncu;          // also written: the report for ncu
  std::string trace;             // also written: a launch's thread blocks over time
  ReportOptions html;            // also written: the report for people
  CiOptions ci;                  // also written: what CI servers read
  OutputOptions output;
};

/// Whether what is printed or written shows SASS.
[[nodiscard]] bool wants_machine_code(const ProfileOutput& options);

/// The launches, one after another; as CSV one table, as JSON one array, or the object of the only
/// one unless they are a list.
[[nodiscard]] Status print_profiles(Session& session, const ProfileOutput& options,
                                    const std::vector<profile::Profile>& profiles);

}  // namespace warpledger::cli
