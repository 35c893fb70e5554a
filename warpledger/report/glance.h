// The strip at the top of a launch's page: how long, what limits, why, which line, what it would
// give.
#pragma once

#include "warpledger/profile/advice/finding.h"
#include "warpledger/report/report.h"

namespace warpledger::report {

/// `findings` are the launch's, the first one first. What is not known is left out.
[[nodiscard]] std::vector<KeyFact> glance_at(const profile::Profile& profile,
                                             const std::vector<profile::Finding>& findings,
                                             const Sources& sources);

}  // namespace warpledger::report
