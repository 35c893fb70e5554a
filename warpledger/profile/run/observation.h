// A run that is watched: where its time goes, and what single accesses meet in the caches; and
// where it runs. None of it changes the profile.
#pragma once

#include <chrono>

#include "warpledger/cell/cell.h"
#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/profile/run/cache_trace.h"
#include "warpledger/profile/run/run.h"

namespace warpledger::profile {

struct RunStatistics;

/// The process that the kernel runs in.
struct KernelCell {
  double seconds = 0;  // since `begun`, for the whole run; 0: no end
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
  cell::Inside* inside = nullptr;  // set in that process
};

struct Observation {
  RunStatistics* statistics = nullptr;          // null: nothing is timed
  std::optional<CacheTraceRequest> trace = {};  // and `traced` gets what was seen
  std::function<void(CacheTrace)> traced = nullptr;
  /// Gets the accesses that a launch went on from, where the limits want that.
  std::function<void(std::vector<exec::BadAccess>)> went_on = nullptr;
  KernelCell* cell = nullptr;  // null: it runs in this process
};

/// As run(request).
[[nodiscard]] Result<Profile> run(const Request& request, const Observation& observation);

}  // namespace warpledger::profile
