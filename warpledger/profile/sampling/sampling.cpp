#include "warpledger/profile/sampling/sampling.h"

#include <algorithm>
#include <cmath>

#include "warpledger/base/check.h"

namespace warpledger::profile {
namespace {

constexpr uint64_t kWindows = 4;
constexpr uint64_t kWarmShare = 3;    // of a stretch, one part in three is measured
constexpr double kSampleShare = 0.2;  // of the budget
constexpr double kUnlike = 0.05;      // blocks whose lengths deviate more than this are not alike
constexpr uint32_t kMostVisits = 64;

bool are_alike(const Census& census) { return census.deviation < kUnlike; }

/// Blocks of a sample: what the share of the budget pays, and never fewer than the waves and the L2
/// need.
uint64_t sample_size(uint64_t ctas, uint64_t wave, const Census& census,
                     const SamplingOptions& options, L2Room room) {
  const double accesses = std::max(kSampleShare * options.max_seconds / kSecondsPerAccess,
                                   options.accesses_per_l2_sector * room.sectors);
  const double paid = accesses * static_cast<double>(ctas) / std::max(census.accesses, 1.0);
  const uint64_t per_window = are_alike(census) ? 1 : kWarmShare;
  const auto least =
      static_cast<double>((options.cold_waves + options.measured_waves * per_window) * wave);
  return static_cast<uint64_t>(std::min(static_cast<double>(ctas), std::max(paid, least)));
}

/// Rounds between two looks: a quarter of a block's life.
uint32_t visits_for(const Census& census) {
  const double quarter = std::clamp(census.batches_per_cta / 4, 1.0, double{kMostVisits});
  return static_cast<uint32_t>(quarter);
}

}  // namespace

bool may_sample(uint64_t ctas, uint64_t wave, const SamplingOptions& options) {
  return ctas >= 2 * (uint64_t{options.cold_waves} + options.measured_waves) * wave;
}

L2Room room_of(const memory::L2Config& l2) {
  const double sectors = static_cast<double>(l2.bytes) / 32;
  return {.sectors = sectors, .dirty_limit = sectors * l2.dirty_share};
}

namespace {

/// The grid's first blocks: no jump disturbs the caches.
void plan_prefix(uint64_t size, SamplingPlan& plan) {
  plan.itinerary = {{0, size}};
  const uint64_t measured = size - plan.cold;
  for (uint64_t i = 0; i < kWindows; ++i) {
    plan.windows.emplace_back(plan.cold + measured * i / kWindows,
                              plan.cold + measured * (i + 1) / kWindows);
  }
}

/// After the cold start, stretches in the middle of equal parts of the grid. In the first two
/// thirds of each the blocks of the one before end and the caches learn what is new: never to be
/// scaled.
void plan_stretches(uint64_t ctas, uint64_t size, SamplingPlan& plan) {
  const uint64_t stretch = (size - plan.cold) / kWindows;
  plan.itinerary = {{0, plan.cold}};
  uint64_t started = plan.cold;
  for (uint64_t i = 0; i < kWindows; ++i) {
    const uint64_t middle = plan.cold + (ctas - plan.cold) * (2 * i + 1) / (2 * kWindows);
    const uint64_t first = middle - stretch / 2;
    plan.itinerary.push_back({first, first + stretch});
    plan.windows.emplace_back(started + stretch - stretch / kWarmShare, started + stretch);
    started += stretch;
  }
}

}  // namespace

std::optional<SamplingPlan> plan_sampling(uint64_t ctas, uint64_t wave, const Census& census,
                                          const SamplingOptions& options, L2Room room) {
  const uint64_t size = sample_size(ctas, wave, census, options, room);
  if (2 * size > ctas) return {};
  SamplingPlan plan{.epoch_visits = visits_for(census)};
  if (are_alike(census)) {
    plan.cold = std::max(options.cold_waves * wave, size / 2);
    plan_prefix(size, plan);
  } else {
    plan.cold = std::max(options.cold_waves * wave, size / 4);
    plan_stretches(ctas, size, plan);
  }
  return plan;
}

Recorder::Recorder(const SamplingPlan& plan)
    : plan_(plan), last_(memory::ctas_of(plan.itinerary)), due_{plan.cold, last_} {
  for (const auto& [begin, end] : plan.windows) {
    due_.push_back(begin);
    due_.push_back(end);
  }
  std::sort(due_.begin(), due_.end());
  due_.erase(std::unique(due_.begin(), due_.end()), due_.end());
}

void Recorder::look(memory::View& view) {
  if (seen_.size() == due_.size() || view.started() < due_[seen_.size()]) return;
  const memory::Counters counters = view.counters();
  while (seen_.size() < due_.size() && view.started() >= due_[seen_.size()]) {
    seen_.push_back(counters);
  }
}

const memory::Counters& Recorder::at(uint64_t started) const {
  const auto found = std::lower_bound(due_.begin(), due_.end(), started);
  WL_CHECK(found != due_.end() && seen_.size() == due_.size());
  return seen_[static_cast<size_t>(found - due_.begin())];
}

Sampled Recorder::take(memory::Counters end) const {
  Sampled sampled{
      .cold = at(plan_.cold), .windows = {}, .tail_begin = at(last_), .end = std::move(end)};
  for (const auto& [begin, finish] : plan_.windows) {
    sampled.windows.push_back({at(begin), at(finish)});
  }
  return sampled;
}

Estimate estimate_whole(const Sampled& sampled, const trace::Sites& sites, const Census& census,
                        L2Room room) {
  Estimate estimate{.counters = extrapolate(sampled, sites, census.sites, room)};
  for (size_t i = 0; i < sampled.windows.size(); ++i) {
    Sampled one = sampled;
    one.windows = {sampled.windows[i]};
    const auto& asked = census.halves.empty() ? census.sites : census.halves[i % 2];
    estimate.replicates.push_back(extrapolate(one, sites, asked, room));
  }
  return estimate;
}

}  // namespace warpledger::profile
