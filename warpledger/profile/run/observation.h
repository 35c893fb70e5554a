// A run that is watched: where its time goes, and what single accesses meet in the caches. Neither
// changes the profile.
#pragma once

#include "warpledger/profile/run/cache_trace.h"
#include "warpledger/profile/run/run.h"

namespace warpledger::profile {

struct RunStatistics;

struct Observation {
  RunStatistics* statistics = nullptr;          // null: nothing is timed
  std::optional<CacheTraceRequest> trace = {};  // and `traced` gets what was seen
  std::function<void(CacheTrace)> traced = nullptr;
};

/// As run(request).
[[nodiscard]] Result<Profile> run(const Request& request, const Observation& observation);

}  // namespace warpledger::profile
