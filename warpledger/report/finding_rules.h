// Findings as rules of ncu: below which section each stands, its words, and what it saves as ncu's
// Est. Speedup.
#pragma once

#include <vector>

#include "warpledger/profile/metrics/section_rule.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::report {

/// What would save most first.
[[nodiscard]] std::vector<profile::SectionRule> finding_rules(const profile::Profile& profile);

}  // namespace warpledger::report
