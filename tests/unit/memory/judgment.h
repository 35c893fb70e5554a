// The model's values for a rebuilt kernel beside those of its published report.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/unit/memory/kernels.h"
#include "warpledger/memory/replay.h"

namespace warpledger::memory {

using Published = std::map<std::string, std::map<std::string, double>>;  // case -> value name
[[nodiscard]] Published read_published();

struct Comparison {
  std::string value;
  double modeled = 0, published = 0;
  /// Points for values that are percentages, else relative.
  [[nodiscard]] bool is_rate() const { return value.ends_with("_pct"); }
  [[nodiscard]] double error() const;
  [[nodiscard]] std::string error_text() const;
};
using Judgment = std::vector<Comparison>;

[[nodiscard]] std::vector<Case> all_cases();
[[nodiscard]] Judgment judge(const Case& test, const Published& published,
                             const Schedule& schedule = {});

/// Values by the names of published.csv.
[[nodiscard]] std::map<std::string, double> values_of(const Counters& counters,
                                                      const trace::Sites& sites);

}  // namespace warpledger::memory
