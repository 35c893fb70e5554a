// The pages of docs/rules, compiled in: one text for the site, for `warpledger explain RULE` and
// for what editors and servers show beside a finding.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpledger::profile {

/// Rules that no finding is about.
namespace rule {
inline constexpr const char* kLaunch = "launch";
inline constexpr const char* kUnitBound = "unit-bound";
inline constexpr const char* kNothingFound = "nothing-found";
inline constexpr const char* kExpectedError = "expected-error";
inline constexpr const char* kRace = "race";
inline constexpr const char* kBrokenLimit = "broken-limit";
inline constexpr const char* kUnknownLimit = "unknown-limit";
inline constexpr const char* kAll[] = {kLaunch, kUnitBound,   kNothingFound, kExpectedError,
                                       kRace,   kBrokenLimit, kUnknownLimit};
}  // namespace rule

struct RulePage {
  std::string_view id;        // "bank-conflicts"
  std::string_view markdown;  // the page, "# bank-conflicts: ..." first

  /// What stands behind the colon of the heading.
  [[nodiscard]] std::string_view title() const;
  /// The first paragraph below the heading, its lines joined, without Markdown's marks.
  [[nodiscard]] std::string summary() const;
};

/// By id.
[[nodiscard]] std::span<const RulePage> rule_pages();
/// Null: no rule has that name.
[[nodiscard]] const RulePage* find_rule_page(std::string_view id);

}  // namespace warpledger::profile
