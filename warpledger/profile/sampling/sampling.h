// profile/sampling/: a profile whose cost does not grow with the grid. When the memory model would
// take longer than the budget, it runs a part of the grid: the first waves, which fill the caches
// and let blocks drift apart, then as much again to measure. Where blocks are alike that is the
// grid's beginning; where their lengths differ, stretches spread over the rest, caches kept.
// extrapolate.h makes the whole of it. What follows from addresses alone is counted apart, on
// blocks that stand for the others (census.h). docs/decisions/005 has what was tried and measured.
//
// Blocks that may communicate (trace::Freedom::kOrdered) cannot be left out: of such launches the
// caches see the beginning (prefix.h). Clusters are left out whole.
#pragma once

#include <optional>

#include "warpledger/memory/replay.h"
#include "warpledger/profile/sampling/census.h"
#include "warpledger/profile/sampling/extrapolate.h"
#include "warpledger/profile/sampling/sampling_options.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// Which blocks run, and when counters are read: after so many have been started.
struct SamplingPlan {
  memory::Itinerary itinerary = {};
  uint64_t cold = 0;
  std::vector<std::pair<uint64_t, uint64_t>> windows = {};
  uint32_t epoch_visits = 1;
};

/// Whether a grid is long enough to leave some of it out. `wave`: blocks that are resident at once.
[[nodiscard]] bool may_sample(uint64_t ctas, uint64_t wave, const SamplingOptions& options = {});

/// Nothing when running all of the grid costs little
/// more.
[[nodiscard]] std::optional<SamplingPlan> plan_sampling(uint64_t ctas, uint64_t wave,
                                                        const Census& census,
                                                        const SamplingOptions& options,
                                                        L2Room room);

[[nodiscard]] L2Room room_of(const memory::L2Config& l2);

/// Reads the counters that a plan asks for.
class Recorder {
 public:
  explicit Recorder(const SamplingPlan& plan);
  void look(memory::View& view);
  /// Pre: the replay has ended, with these counters.
  [[nodiscard]] Sampled take(memory::Counters end) const;

 private:
  [[nodiscard]] const memory::Counters& at(uint64_t started) const;

  const SamplingPlan& plan_;
  uint64_t last_;                       // blocks of the itinerary
  std::vector<uint64_t> due_;           // ascending
  std::vector<memory::Counters> seen_;  // by due_
};

/// The whole grid, and the same from each window alone: their range is about two standard errors
/// either way where there are four.
struct Estimate {
  memory::Counters counters = {};
  std::vector<memory::Counters> replicates = {};
  std::optional<PrefixNote> prefix = {};  // prefix.h
};
[[nodiscard]] Estimate estimate_whole(const Sampled& sampled, const trace::Sites& sites,
                                      const Census& census, L2Room room);

}  // namespace warpledger::profile
