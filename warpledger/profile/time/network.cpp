#include "warpledger/profile/time/network.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warpledger/base/check.h"

namespace warpledger::profile::time {
namespace {

constexpr int kLeastRounds = 20, kMostRounds = 500;
constexpr double kTolerance = 1e-9;

/// A throughput that no order of service exceeds.
double bound(const Network& network) {
  double sum = network.delay, limit = std::numeric_limits<double>::infinity();
  for (const Unit& unit : network.units) {
    sum += unit.demand;
    if (unit.demand > 0) limit = std::min(limit, (unit.shared ? 1 : network.sms) / unit.demand);
  }
  return std::min(limit, network.sms * network.customers / sum);
}

/// What one instance of the unit sees of `rate`.
double share_of(double rate, const Unit& unit, const Network& network) {
  return unit.shared ? rate : rate / network.sms;
}

/// R, with `present` customers at the unit on average.
double residence(const Unit& unit, const Network& network, double rate, double present) {
  const double rivals = network.customers * (unit.shared ? network.sms : 1);
  const double others = std::max(0.0, rivals - 1) / rivals;
  const double busy = std::min(1.0, share_of(rate, unit, network) * unit.demand);
  return unit.demand * (1 + std::max(0.0, others * (present - busy / 2)));
}

}  // namespace

Flow solve(const Network& network) {
  WL_CHECK(network.sms > 0 && network.customers > 0);
  const double population = network.sms * network.customers, limit = bound(network);
  std::vector<double> present(network.units.size());
  double rate = limit;
  for (int round = 0; round < kMostRounds; ++round) {
    double stay = network.delay;
    for (size_t i = 0; i < present.size(); ++i) {
      const double here = residence(network.units[i], network, rate, present[i]);
      present[i] = share_of(rate, network.units[i], network) * here;
      stay += here;
    }
    // Half steps: whole ones swing around the answer where a unit is nearly full.
    const double next = std::min(limit, (rate + population / stay) / 2);
    const bool settled = std::abs(next - rate) <= kTolerance * next;
    rate = next;
    if (settled && round >= kLeastRounds) break;
  }
  Flow flow{.rate = rate, .residence = population / rate, .utilization = {}};
  for (const Unit& unit : network.units) {
    flow.utilization.push_back(share_of(rate, unit, network) * unit.demand);
  }
  return flow;
}

}  // namespace warpledger::profile::time
