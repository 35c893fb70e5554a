// ncu's --print-summary: over the launches of a kernel with one grid and block, the least, the most
// and the mean of each metric. A profile that stands for several launches counts as often.
#pragma once

#include <string>
#include <vector>

#include "warpledger/profile/metrics/section.h"

namespace warpledger::profile {

struct KernelSummary {
  std::string kernel;  // "matmul (8, 8, 1)x(16, 16, 1)"
  std::string device;  // "Device 0, CC 8.6"
  uint64_t invocations = 0;
  std::vector<Table> sections = {};  // by title, as ncu sorts them
};

/// One of each kernel, in the order of their first launches. What is text has no summary.
[[nodiscard]] std::vector<KernelSummary> summaries(const std::vector<Profile>& launches,
                                                   const std::vector<Section>& chosen, Units units);

/// ncu's CSV of them; without launches "".
[[nodiscard]] std::string summary_csv(const std::vector<Profile>& launches,
                                      const std::vector<Section>& chosen, Units units);

}  // namespace warpledger::profile
