// The difference of two launches in the lines of a brief.
#include <fmt/format.h>

#include <cmath>

#include "warpledger/profile/explain/brief_lines.h"
#include "warpledger/profile/explain/rule_page.h"

namespace warpledger::profile {
namespace {

std::string time_text(const Difference& difference) {
  if (difference.before == 0 || difference.after == 0) return "a time is not modeled";
  const double saving = difference.saving();
  const std::string times =
      fmt::format("{} -> {}", time_in_words(difference.before), time_in_words(difference.after));
  if (std::abs(saving) < 0.0005) return fmt::format("no faster and no slower, {} (modeled)", times);
  return fmt::format("{}: {}, {:.1f} % {} time (modeled)", saving > 0 ? "faster" : "slower", times,
                     100 * std::abs(saving), saving > 0 ? "less" : "more");
}

std::string units_text(const Difference& difference) {
  std::vector<std::string> parts;
  for (const UnitChange& one : difference.units)
    parts.push_back(
        fmt::format("{} {} -> {} cycles", one.unit, in_words(one.before), in_words(one.after)));
  const std::string limits = difference.limit_before == difference.limit_after
                                 ? fmt::format("the limit is still {}", difference.limit_after)
                                 : fmt::format("the limit was {}, now {}", difference.limit_before,
                                               difference.limit_after);
  return parts.empty() ? limits : fmt::format("{}; {}", limits, fmt::join(parts, ", "));
}

std::string findings_text(const Difference& difference) {
  const auto list = [](const std::vector<std::string>& rules) {
    return rules.empty() ? std::string("none") : fmt::format("{}", fmt::join(rules, ", "));
  };
  return fmt::format("gone: {}; new: {}", list(difference.gone), list(difference.come));
}

std::string sure_text(const Difference& difference) {
  const std::string error = fmt::format("{:.1f} %", 100 * difference.expected_error);
  if (difference.before == 0 || difference.after == 0) return "measure both: a time is missing";
  if (difference.is_open())
    return fmt::format("measure both: the difference is less than the expected error of {}", error);
  return fmt::format("the difference is larger than the expected error of {}", error);
}

}  // namespace

std::vector<BriefLine> lines_of(const Difference& difference) {
  std::vector<BriefLine> lines = {{"since", 0, rule::kLaunch, time_text(difference)}};
  if (difference.gpu_before != difference.gpu_after) {
    lines.push_back({"since", 0, rule::kLaunch,
                     fmt::format("the GPU was {}, now {}: times of two GPUs", difference.gpu_before,
                                 difference.gpu_after)});
  }
  lines.push_back({"units", 0, difference.limit_rule, units_text(difference)});
  const std::string finding = !difference.gone.empty()   ? difference.gone.front()
                              : !difference.come.empty() ? difference.come.front()
                                                         : rule::kNothingFound;
  lines.push_back({"findings", 0, finding, findings_text(difference)});
  lines.push_back({"sure", 0, rule::kExpectedError, sure_text(difference)});
  return lines;
}

}  // namespace warpledger::profile
