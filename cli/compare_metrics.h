// `compare` where one side is a report of ncu: metric by metric, hardware against prediction.
#pragma once

#include "cli/output.h"
#include "warpledger/base/result.h"

namespace warpledger::cli {

struct MetricComparison {
  const Source& before;
  const Source& after;
  std::string kernel;  // a -k pattern; "": the first launch of each file
  bool all = false;    // also what only one side has
};

/// True for a file that `compare` can only take metric by metric.
[[nodiscard]] bool is_ncu_file(const Source& source);

[[nodiscard]] Result<Answer> compare_metrics(const MetricComparison& asked);

}  // namespace warpledger::cli
