#include "warpledger/profile/sampling/prefix.h"

#include <algorithm>

#include "warpledger/profile/sampling/census.h"

namespace warpledger::profile {
uint64_t prefix_lookups(const SamplingOptions& options, L2Room room) {
  const double paid = options.max_seconds / kSecondsPerAccess;
  const double filled = options.accesses_per_l2_sector * room.sectors;
  constexpr double kMost = 1e18;
  return static_cast<uint64_t>(std::min(kMost, std::max({options.prefix_lookups, paid, filled})));
}

/// At most one snapshot an epoch, so that no window is empty.
void Prefix::look(memory::View& view) {
  accesses_ = view.accesses();
  all_lookups_ = view.lookups();
  if (stopped_at_ != 0 || view.rounds() % kRounds != 0) return;
  const uint64_t due = lookups_ / 2 + lookups_ * snapshots_.size() / (2 * kWindows);
  if (all_lookups_ < due) return;
  snapshots_.push_back(view.counters());
  if (snapshots_.size() <= kWindows) return;
  view.count_only();
  stopped_at_ = accesses_;
}

std::optional<Sampled> Prefix::take(const memory::Counters& end) const {
  if (stopped_at_ == 0 || accesses_ == stopped_at_) return {};
  Sampled sampled{.cold = snapshots_.front(), .windows = {}, .tail_begin = end, .end = end};
  for (size_t i = 0; i < kWindows; ++i)
    sampled.windows.push_back({snapshots_[i], snapshots_[i + 1]});
  return sampled;
}

PrefixNote Prefix::note() const {
  return {.modeled = stopped_at_,
          .counted = accesses_,
          .exact_seconds = kSecondsPerAccess * static_cast<double>(all_lookups_)};
}

}  // namespace warpledger::profile
