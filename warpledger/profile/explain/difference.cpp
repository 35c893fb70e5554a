#include "warpledger/profile/explain/difference.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "warpledger/profile/explain/certainty.h"
#include "warpledger/profile/explain/rule_page.h"

namespace warpledger::profile {
namespace {

constexpr size_t kShownUnits = 3;

std::vector<UnitChange> changes_of(const Profile& before, const Profile& after) {
  std::map<std::string, UnitChange> by_unit;
  for (const UnitLoad& load : unit_loads({before, before.counters}))
    by_unit[load.unit].before = load.cycles;
  for (const UnitLoad& load : unit_loads({after, after.counters}))
    by_unit[load.unit].after = load.cycles;
  std::vector<UnitChange> changes;
  for (auto& [unit, change] : by_unit) {
    change.unit = unit;
    if (change.before != change.after) changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(), [](const UnitChange& a, const UnitChange& b) {
    return std::abs(a.after - a.before) > std::abs(b.after - b.before);
  });
  if (changes.size() > kShownUnits) changes.resize(kShownUnits);
  return changes;
}

std::set<std::string> rules_of(const Profile& profile) {
  std::set<std::string> rules;
  for (const Finding& finding : find(profile)) rules.insert(finding.code);
  return rules;
}

std::vector<std::string> only_in(const std::set<std::string>& some,
                                 const std::set<std::string>& others) {
  std::vector<std::string> only;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::back_inserter(only));
  return only;
}

}  // namespace

bool Difference::is_open() const {
  if (before == 0 || after == 0) return true;
  return std::abs(after - before) < expected_error * std::max(before, after);
}

Difference difference_of(const Profile& before, const Profile& after) {
  const auto time_of = [](const Profile& profile) {
    return profile.timing ? profile.timing->seconds() * 1e9 : 0;
  };
  const Limit limit = find_limit({after, after.counters});
  const std::optional<FindingCode> rule = rule_of(limit);
  Difference difference{.before = time_of(before),
                        .after = time_of(after),
                        .gpu_before = before.gpu.name,
                        .gpu_after = after.gpu.name,
                        .limit_before = find_limit({before, before.counters}).name(),
                        .limit_after = limit.name(),
                        .limit_rule = rule ? to_text(*rule) : rule::kUnitBound,
                        .units = changes_of(before, after),
                        .expected_error = published_error(after).spread};
  const std::set<std::string> old_rules = rules_of(before), new_rules = rules_of(after);
  difference.gone = only_in(old_rules, new_rules);
  difference.come = only_in(new_rules, old_rules);
  return difference;
}

}  // namespace warpledger::profile
