#include "warpledger/profile/metrics/validation_errors.h"

#include <fmt/core.h>

#include <algorithm>

namespace warpledger::profile {
namespace {

constexpr MetricError kErrors[] = {
#include "warpledger/profile/metrics/validation_errors.inc"
};

}  // namespace

std::span<const MetricError> metric_errors() { return kErrors; }

const MetricError* find_error(std::string_view metric) {
  const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                   [&](const MetricError& one) { return one.metric == metric; });
  return found == std::end(kErrors) ? nullptr : found;
}

std::string to_text(const MetricError& error) {
  const char* unit = error.is_points ? "points" : "%";
  return fmt::format("{} published report{}: {} equal, median {:.2f} {}, 90th percentile {:.2f} {}",
                     error.values, error.values == 1 ? "" : "s", error.equal, error.median, unit,
                     error.high, unit);
}

}  // namespace warpledger::profile
