// The launches of a budget, profiled: the question that `profile` would ask with the options that
// the budget spells out, so that both always mean the same; or read from a report.
#pragma once

#include "cli/terminal/session.h"
#include "warpledger/profile/limits/file.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::cli {

struct BudgetOptions {
  std::string budgets_file;  // paths of budgets begin at its folder
  std::string report;        // checked instead of what the budgets name
  bool no_store = false;
};

struct ProfiledLaunch {
  profile::Profile profile;
  std::string kernel;  // the function's name
  std::string gpu;
  std::string file;  // of the kernel, as a path from here; "" when it is not known
};

/// Fails when a launch cannot be profiled, naming the budget; and when there is none.
[[nodiscard]] Result<std::vector<ProfiledLaunch>> profile_launches(
    Session& session, const BudgetOptions& options, const profile::budget::Budget& budget);

}  // namespace warpledger::cli
