// What `profile` and `explain` share: the question, where its answer comes from, how it is shown.
#pragma once

#include "cli/commands/profile_output.h"
#include "cli/options/profile_flags.h"
#include "cli/options/query_options.h"

namespace warpledger::cli {

struct ProfileOptions {
  std::optional<Command> command = {};  // which options were given
  QueryFlags query;
  ProfileFlags flags;
  ProfileOutput shown;
};

/// All but those that choose pages and metrics.
void add_profile_options(Command& command, ProfileOptions& options);

/// Asks, prints and writes: of a report, a program or a kernel's file.
[[nodiscard]] Status profile_kernel(Session& session, const ProfileOptions& options);

}  // namespace warpledger::cli
