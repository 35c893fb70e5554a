// What `warpledger profile` prints: the first screen, ncu's pages, ncu's CSV.
#pragma once

#include "cli/output.h"
#include "warpledger/profile/section_choice.h"

namespace warpledger::cli {

struct ProfileOutput {
  std::string page = "details";
  std::string units;                 // auto, base; "": base on the raw page
  std::vector<std::string> metrics;  // only these
  profile::SectionChoice sections = {profile::sections(), true};
  bool all_sections = true;  // no --section: the first screen too
  bool csv = false;          // ncu's CSV
  OutputOptions output;
};

[[nodiscard]] Status print_profile(Session& session, const ProfileOutput& options,
                                   const profile::Profile& profile);

}  // namespace warpledger::cli
