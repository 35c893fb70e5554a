// A closed queueing network for a GPU. Customers (blocks, or warps) keep units of their SM busy,
// keep units busy that all SMs share (L2, DRAM), and wait where nothing is busy for them (latency,
// barriers, their start). One that ends is replaced at once, so their number is constant: mean
// value analysis says how many end per cycle.
//
// A unit serves in first-come order and takes the same time for each customer, so that one who
// arrives finds on average half of the service in progress left (not all of it, as with exponential
// service): with demand D, U busy and Q present on average,
//
//   residence R = D (1 + Q' - U' / 2),   Q' and U' with one fewer (Schweitzer: times (n-1)/n)
//   throughput X = n / (delay + sum of R),   Q = X R,   U = X D
//
// Bounds that every solution keeps: X <= 1 / max D and X <= n / (delay + sum of D).
// Lazowska, Zahorjan, Graham, Sevcik, «Quantitative System Performance» (1984), chapters 6 and 7.
#pragma once

#include <string>
#include <vector>

namespace warpledger::profile::time {

struct Unit {
  std::string name;
  double demand = 0;    // SM cycles of this unit that one customer needs
  bool shared = false;  // one for the whole GPU; else one in every SM
};

struct Network {
  double sms = 1;
  double customers = 1;  // in each SM
  double delay = 0;      // cycles in which a customer is in no unit
  std::vector<Unit> units;
};

struct Flow {
  double rate = 0;                  // customers that end per cycle, over the whole GPU
  double residence = 0;             // cycles from a customer's start to its end, delay included
  std::vector<double> utilization;  // by unit, 0..1
};

/// Pre: sms, customers > 0; demands and delay not negative, not all zero.
[[nodiscard]] Flow solve(const Network& network);

}  // namespace warpledger::profile::time
