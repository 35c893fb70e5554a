#include "warpledger/profile/advice/kind.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "warpledger/profile/advice/limit.h"

namespace warpledger::profile {
namespace {

constexpr double kShortCycles = 20'000;  // about ten times what a launch takes to start and to end
constexpr uint32_t kLeastReports = 5;    // fewer have no 90th percentile

constexpr KindError kErrors[] = {
#include "warpledger/profile/advice/kind_errors.inc"
};

LaunchKind kind_of(const UnitLoad& busiest) {
  const std::string_view counter = busiest.counter;
  if (is_dram(busiest)) return LaunchKind::kDram;
  if (counter.starts_with("lts__")) return LaunchKind::kL2;
  if (counter.starts_with("l1tex__")) return LaunchKind::kL1;
  return LaunchKind::kCompute;
}

bool is_tensor(const UnitLoad& load) {
  return std::string_view(load.counter).starts_with("sm__pipe_tensor") && load.cycles > 0;
}

}  // namespace

std::string_view to_text(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::kShort:
      return "short";
    case LaunchKind::kTensor:
      return "tensor-core";
    case LaunchKind::kLatency:
      return "latency-bound";
    case LaunchKind::kDram:
      return "DRAM-bound";
    case LaunchKind::kL2:
      return "L2-bound";
    case LaunchKind::kL1:
      return "L1-bound";
    case LaunchKind::kCompute:
      return "compute-bound";
  }
  return "";
}

LaunchKind kind_of(const Evidence& evidence) {
  const std::vector<UnitLoad> loads = unit_loads(evidence);
  if (evidence.profile.timing->elapsed_cycles < kShortCycles) return LaunchKind::kShort;
  if (std::any_of(loads.begin(), loads.end(), is_tensor)) return LaunchKind::kTensor;
  const Limit limit = find_limit(evidence);
  return limit.kind == Limit::Kind::kUnit ? kind_of(*limit.busiest) : LaunchKind::kLatency;
}

std::span<const KindError> kind_errors() { return kErrors; }

std::string to_text(const KindError& error) {
  return fmt::format(
      "{} launches: {:.1f} % too {} in the median of {} published reports, 90th percentile of the "
      "error {:.1f} %",
      error.kind, std::abs(error.shift), error.shift < 0 ? "short" : "long", error.reports,
      error.high);
}

const KindError* find_error(LaunchKind kind) {
  const auto* found = std::find_if(std::begin(kErrors), std::end(kErrors),
                                   [&](const KindError& one) { return one.kind == to_text(kind); });
  return found == std::end(kErrors) || found->reports < kLeastReports ? nullptr : found;
}

}  // namespace warpledger::profile
