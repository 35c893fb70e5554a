#include "warpledger/profile/explain/certainty.h"

#include <fmt/core.h>

#include <cmath>

#include "warpledger/profile/metrics/validation_errors.h"

namespace warpledger::profile {
namespace {

constexpr const char* kTimeMetric = "gpu__time_duration.sum";

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// What the model of time does not know of this launch.
void add_unknowns(const Profile& profile, const Limit& limit, std::vector<std::string>& reasons) {
  if (!profile.timing) {
    reasons.push_back("the time of this launch is not modeled");
    return;
  }
  if (limit.kind == Limit::Kind::kHost)
    reasons.push_back("the time of the bus to host memory is not modeled");
  if (profile.resources.fidelity == Fidelity::kAssumed)
    reasons.push_back(fmt::format("registers are assumed ({})", profile.resources.source));
  if (!profile.machine)
    reasons.push_back(
        "no machine code was read, and the published errors are for launches with machine code");
}

/// Whether another unit, or latency, may as well be the limit.
void add_close_limits(const Evidence& evidence, const Limit& limit, double error,
                      std::vector<std::string>& reasons) {
  if (!evidence.profile.timing || limit.share == 0) return;
  const std::vector<UnitLoad> loads = unit_loads(evidence);
  if (limit.kind == Limit::Kind::kUnit && loads.size() > 1 &&
      loads[1].cycles >= (1 - error) * loads[0].cycles) {
    reasons.push_back(fmt::format(
        "{} and {} differ by less than the expected error of {}: either may be the limit",
        loads[0].unit, loads[1].unit, percent(error)));
  }
  if (std::abs(limit.share - kBusy) < error * kBusy) {
    reasons.push_back(
        fmt::format("{} is busy for {:.0f} % of the launch: below {:.0f} % latency is the limit, "
                    "and the expected error is {}",
                    limit.busiest->unit, 100 * limit.share, 100 * kBusy, percent(error)));
  }
}

void add_small_saving(const std::vector<Finding>& findings, double error,
                      std::vector<std::string>& reasons) {
  if (findings.empty()) return;
  const double saving = findings.front().saving;
  if (saving < kLeastSaving || saving > error) return;
  reasons.push_back(fmt::format("change 1 would give {}, and the expected error of the time is {}",
                                percent(saving), percent(error)));
}

}  // namespace

Certainty published_error(const Profile& profile) {
  const KindError* kind =
      profile.timing ? find_error(kind_of({profile, profile.counters})) : nullptr;
  if (kind != nullptr) {
    return {.median_error = kind->median / 100,
            .high_error = kind->high / 100,
            .spread = kind->spread / 100,
            .reports = kind->reports,
            .kind = kind};
  }
  const MetricError* all = find_error(kTimeMetric);
  if (all == nullptr) return {};
  return {.median_error = all->median / 100,
          .high_error = all->high / 100,
          .spread = all->median / 100,
          .reports = all->values};
}

Certainty certainty_of(const Profile& profile, const std::vector<Finding>& findings) {
  Certainty certainty = published_error(profile);
  certainty.counts = profile.counted_as();
  certainty.is_sampled = profile.sampled.has_value();
  const Evidence evidence{profile, profile.counters};
  const Limit limit = find_limit(evidence);
  add_unknowns(profile, limit, certainty.measure);
  add_small_saving(findings, certainty.median_error, certainty.measure);
  add_close_limits(evidence, limit, certainty.median_error, certainty.measure);
  return certainty;
}

}  // namespace warpledger::profile
