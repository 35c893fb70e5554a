// The pages of a profile in ncu's own formats.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/metrics/section_rule.h"

namespace warpledger::profile {

/// "matmul(const float *, int) (188, 250, 1)x(16, 16, 1), Context 1, Stream 7, Device 0, CC 8.6".
[[nodiscard]] std::string heading(const Profile& profile);

/// Metric Name, Metric Unit, Metric Value, Fidelity. Fails on a name that is not modeled.
[[nodiscard]] Result<Table> metric_table(const Profile& profile,
                                         const std::vector<std::string>& names, Units units);

/// What rules say of a launch, which other rooms know.
using RulesOf = std::function<std::vector<SectionRule>(const Profile&)>;

/// "31.07": as ncu prints an estimated speedup.
[[nodiscard]] std::string speedup_text(double percent);

// ncu --csv: one table of all launches. Its columns are ncu's to the letter, so that scripts find
// what they know: what is not modeled is "n/a", and fidelity stands in rows of the rule columns
// (details) or outside. ID is the number of the launch in its program, or its place here. Where a
// profile stands for several launches, a last column counts them. Without launches: "".
[[nodiscard]] std::string details_csv(const std::vector<Profile>& launches, Units units,
                                      const std::vector<Section>& chosen = sections(),
                                      const RulesOf& rules = {});
[[nodiscard]] std::string raw_csv(const std::vector<Profile>& launches,
                                  const std::vector<std::string>& names, Units units);
[[nodiscard]] std::string metrics_csv(const std::vector<Profile>& launches,
                                      const std::vector<std::string>& names, Units units);

/// "exact: a, b; modeled: c; not modeled yet: d" over the metrics of that name.
[[nodiscard]] std::string fidelity_line(const Profile& profile,
                                        const std::vector<std::string>& names);

}  // namespace warpledger::profile
