// How far metrics were from Nsight Compute's in published reports: the table "Every metric" of
// docs/validation.md. tools/validate writes both, and a test compares them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpledger::profile {

struct MetricError {
  std::string_view metric;
  uint32_t values = 0;          // reports that have it
  uint32_t equal = 0;           // of these, to the last digit
  double median = 0, high = 0;  // absolute error; high: the 90th percentile
  bool is_points = false;       // else percent of the published value
};

[[nodiscard]] std::span<const MetricError> metric_errors();

/// Null: no published report has the metric, or it was not compared.
[[nodiscard]] const MetricError* find_error(std::string_view metric);

/// "60 reports: 12 equal, median 0.04 points, 90th percentile 13.26 points".
[[nodiscard]] std::string to_text(const MetricError& error);

}  // namespace warpledger::profile
