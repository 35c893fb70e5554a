#include "warpledger/profile/time/network.h"

#include <algorithm>

#include "tests/support/law.h"

namespace warpledger::profile::time {
namespace {

Network any_network(testing::Rng& rng) {
  Network network{.sms = static_cast<double>(rng.between(1, 132)),
                  .customers = static_cast<double>(rng.between(1, 32)),
                  .delay = static_cast<double>(rng.between(0, 5000))};
  const auto units = rng.between(1, 4);
  for (int64_t i = 0; i < units; ++i) {
    network.units.push_back({"unit", static_cast<double>(rng.between(1, 1000)), rng.coin()});
  }
  return network;
}

LAW(Network, NoUnitIsBusierThanAlways) {
  const Flow flow = solve(any_network(rng));
  for (const double busy : flow.utilization) EXPECT_LE(busy, 1 + 1e-9);
}
LAW(Network, NobodyIsFasterThanAlone) {
  const Network network = any_network(rng);
  double alone = network.delay;
  for (const Unit& unit : network.units) alone += unit.demand;
  EXPECT_GE(solve(network).residence, alone * (1 - 1e-9));
}
LAW(Network, MoreCustomersNeverLowerTheRate) {
  Network network = any_network(rng);
  const double before = solve(network).rate;
  network.customers += 1;
  EXPECT_GE(solve(network).rate, before * (1 - 1e-6));
}
LAW(Network, MoreDemandNeverRaisesTheRate) {
  Network network = any_network(rng);
  const double before = solve(network).rate;
  network.units[0].demand *= 1.5;
  EXPECT_LE(solve(network).rate, before * (1 + 1e-6));
}

TEST(Network, OneCustomerTakesItsDelayAndItsDemands) {
  const Flow flow = solve({.delay = 100, .units = {{"a", 10, false}, {"b", 20, false}}});
  EXPECT_NEAR(flow.residence, 130, 1e-6);
}
TEST(Network, ManyCustomersSaturateTheBusiestUnit) {
  const Flow flow =
      solve({.customers = 64, .delay = 100, .units = {{"a", 10, false}, {"b", 20, false}}});
  EXPECT_NEAR(flow.utilization[1], 1, 0.01);
  EXPECT_NEAR(flow.rate, 1.0 / 20, 0.001);
}
TEST(Network, ASharedUnitServesAllSms) {
  const Flow flow = solve({.sms = 10, .customers = 64, .units = {{"dram", 5, true}}});
  EXPECT_NEAR(flow.rate, 0.2, 0.002);
}

}  // namespace
}  // namespace warpledger::profile::time
