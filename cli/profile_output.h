// What `warpledger profile` prints: the first screen, ncu's pages, ncu's CSV.
#pragma once

#include "cli/output.h"
#include "cli/profile_html.h"
#include "warpledger/profile/section_choice.h"

namespace warpledger::cli {

struct ProfileOutput {
  std::string page = "details";
  std::string units;                 // auto, base; "": base on the raw page
  std::vector<std::string> metrics;  // only these
  std::vector<std::string> explain;  // instead: why these have their values
  profile::SectionChoice sections = {profile::sections(), true};
  bool all_sections = true;  // no --section: the first screen too
  bool csv = false;          // ncu's CSV
  std::string report;        // also written: what --import reads
  ReportOptions html;        // also written: the report for people
  OutputOptions output;
};

[[nodiscard]] Status print_profile(Session& session, const ProfileOutput& options,
                                   const profile::Profile& profile);

/// The launches of a program, one after another: one JSON array, one CSV with their numbers.
[[nodiscard]] Status print_profiles(Session& session, const ProfileOutput& options,
                                    const std::vector<profile::Profile>& profiles);

}  // namespace warpledger::cli
