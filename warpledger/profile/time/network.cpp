#include "warpledger/profile/time/network.h"

#include <algorithm>
#include <cmath>

#include "warpledger/base/check.h"

namespace warpledger::profile::time {
namespace {

constexpr int kRounds = 500;
constexpr double kTolerance = 1e-9;

// Throughput that no order of service exceeds.
double bound(const Network& network) {
  double sum = network.delay, limit = 1e300;
  for (const Unit& unit : network.units) {
    sum += unit.demand;
    if (unit.demand > 0) limit = std::min(limit, (unit.shared ? 1 : network.sms) / unit.demand);
  }
  return std::min(limit, network.sms * network.warps / sum);
}

}  // namespace

Flow solve(const Network& network) {
  WL_CHECK(network.sms > 0 && network.warps > 0);
  const double population = network.sms * network.warps;
  const double limit = bound(network);
  std::vector<double> present(network.units.size());  // Q, per instance of the unit
  double rate = limit;
  for (int round = 0; round < kRounds; ++round) {
    double residence = network.delay;
    std::vector<double> stay(network.units.size());
    for (size_t i = 0; i < network.units.size(); ++i) {
      const Unit& unit = network.units[i];
      const double customers = unit.shared ? population : network.warps;
      const double others = std::max(0.0, customers - 1) / customers;
      const double share = unit.shared ? rate : rate / network.sms;
      const double busy = std::min(1.0, share * unit.demand) * others;
      stay[i] = unit.demand * (1 + std::max(0.0, present[i] * others - busy / 2));
      residence += stay[i];
    }
    const double next = std::min(limit, (rate + population / residence) / 2);
    for (size_t i = 0; i < stay.size(); ++i)
      present[i] = (network.units[i].shared ? next : next / network.sms) * stay[i];
    const bool settled = std::abs(next - rate) <= kTolerance * next;
    rate = next;
    if (settled && round > 20) break;
  }
  Flow flow{.warps_per_cycle = rate, .residence = population / rate, .utilisation = {}};
  for (const Unit& unit : network.units)
    flow.utilisation.push_back((unit.shared ? rate : rate / network.sms) * unit.demand);
  return flow;
}

}  // namespace warpledger::profile::time
