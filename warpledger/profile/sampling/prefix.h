// A launch that costs more than the budget and whose blocks cannot be left out, because they are
// few, because they may communicate or because a program reads what they write: the caches see its
// first accesses, as many as the budget pays, and the others are counted. What follows from
// addresses alone stays exact; the rest is extrapolated (extrapolate.h). docs/decisions/005.
#pragma once

#include <optional>

#include "warpledger/memory/replay.h"
#include "warpledger/profile/sampling/extrapolate.h"
#include "warpledger/profile/sampling/sampling_options.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

/// What the caches see of a launch that is longer, in lookups (memory::View).
[[nodiscard]] uint64_t prefix_lookups(const SamplingOptions& options, L2Room room);

/// Looks at a replay between its epochs. The first half of the lookups fills the caches, the
/// second is measured in four windows; then the replay only counts.
class Prefix {
 public:
  explicit Prefix(uint64_t lookups) : lookups_(lookups) {}
  void look(memory::View& view);
  /// Nothing where the caches saw the whole launch. Pre: the replay has ended, with these counters.
  [[nodiscard]] std::optional<Sampled> take(const memory::Counters& end) const;
  /// Pre: the same, and it gave something.
  [[nodiscard]] PrefixNote note() const;

 private:
  static constexpr uint64_t kWindows = 4;
  // The same points of the schedule for any number of threads, whose epochs differ.
  static constexpr uint64_t kRounds = 64;

  uint64_t lookups_;
  uint64_t stopped_at_ = 0, accesses_ = 0, all_lookups_ = 0;
  std::vector<memory::Counters> snapshots_;  // at the ends of the first half and of each window
};

}  // namespace warpledger::profile
