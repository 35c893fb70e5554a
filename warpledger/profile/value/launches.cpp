#include "warpledger/profile/value/launches.h"

#include <fmt/core.h>

#include "warpledger/base/number.h"

namespace warpledger::profile {
namespace {

constexpr size_t kShownRanges = 6;

std::string to_text(const LaunchRange& range) {
  if (range.first == range.last) return std::to_string(range.first);
  const std::string both = fmt::format("{}..{}", range.first, range.last);
  return range.step == 1 ? both : fmt::format("{} by {}", both, range.step);
}

std::string counted(uint64_t count) { return group_thousands(static_cast<int64_t>(count)); }

/// A benchmark's launch differs from the program's own: nobody reads what it computes.
std::string purpose_text(const std::string& purpose) {
  if (purpose.empty()) return "";
  return fmt::format("{}: timed only; its results were discarded", purpose);
}

}  // namespace

// A range of one takes any second number. One of two whose third does not follow gives its last
// away, so that 0, 2, 3, 4, ... is 0 and 2..: a step above 1 stands for three launches at least.
void Launches::add(uint64_t number) {
  ++count;
  if (ranges.empty()) {
    ranges.push_back({number, number, 1});
    return;
  }
  LaunchRange& last = ranges.back();
  const uint64_t step = number - last.last;
  if (last.first == last.last || step == last.step) {
    last.step = step;
    last.last = number;
  } else if (last.step > 1 && last.first + last.step == last.last) {
    const uint64_t second = last.last;
    last = {last.first, last.first, 1};
    ranges.push_back({second, number, number - second});
  } else {
    ranges.push_back({number, number, 1});
  }
}

std::string to_text(const std::vector<LaunchRange>& ranges) {
  std::string text;
  for (size_t i = 0; i < ranges.size() && i < kShownRanges; ++i) {
    const LaunchRange& one = ranges[i];
    const bool is_pair = one.step > 1 && one.first + one.step == one.last;
    text += (i == 0 ? "" : ", ") +
            (is_pair ? fmt::format("{}, {}", one.first, one.last) : to_text(one));
  }
  return ranges.size() > kShownRanges ? text + ", ..." : text;
}

std::string to_text(const Launches& launches) {
  const std::string purpose = purpose_text(launches.purpose);
  if (!launches.is_many()) return purpose;
  std::string text = purpose.empty() ? "" : purpose + "; ";
  text += fmt::format("x {}: this profile represents launches {}", counted(launches.count),
                      to_text(launches.ranges));
  if (launches.modeled < launches.count) {
    text += fmt::format("; {} modeled, {} only run", counted(launches.modeled),
                        counted(launches.count - launches.modeled));
  }
  if (launches.unlike > 0) {
    text += fmt::format(
        "; {} of them executed a different number of instructions than every modeled launch "
        "(--all-launches models each)",
        counted(launches.unlike));
  }
  return text;
}

}  // namespace warpledger::profile
