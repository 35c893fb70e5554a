// The pages of a launch as `warpledger profile` prints them: the first screen, ncu's details, raw
// and source pages, ncu's CSV. profile_output.h says which of them, and what is written to files.
#pragma once

#include "cli/commands/profile_output.h"

namespace warpledger::cli {

/// The sections of --section, and as one more the metrics of --metrics; by default all sections.
[[nodiscard]] std::vector<profile::Section> chosen_sections(const ProfileOutput& options);

[[nodiscard]] profile::Units units_of(const ProfileOutput& options);

/// The page that was asked for.
[[nodiscard]] Result<Answer> answer_of(Session& session, const ProfileOutput& options,
                                       const profile::Profile& profile);

void print_csv(Session& session, const ProfileOutput& options,
               const std::vector<profile::Profile>& profiles);

/// ncu's source page: SASS where there is machine code and no other view was asked for.
[[nodiscard]] Status print_source_csv(Session& session, const ProfileOutput& options,
                                      const std::vector<profile::Profile>& profiles);

}  // namespace warpledger::cli
