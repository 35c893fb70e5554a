// Two launches metric by metric, as ncu names them: hardware against prediction, hardware against
// hardware, or two predictions.
#pragma once

#include "warpledger/base/source.h"
#include "warpledger/base/table.h"
#include "warpledger/compare/kind.h"

namespace warpledger::match {

struct MetricQuestion {
  const Source& before;
  const Source& after;
  std::string kernel;  // a -k pattern; "": the first launch of each file
  bool all = false;    // also what only one side has
};

struct MetricAnswer {
  std::vector<std::string> verdict = {};
  std::vector<std::string> remarks = {};
  Table table = {};
};

/// Each side is a report of ncu, or profiles.
[[nodiscard]] Result<MetricAnswer> compare_metrics(const MetricQuestion& asked);

}  // namespace warpledger::match
