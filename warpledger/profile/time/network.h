// Warps as customers of a closed queueing network. A resident warp, in turn, keeps units of its SM
// busy (issue slots, LSU, the L1's data stage, ...), keeps units busy that all SMs share (L2,
// DRAM), and waits where nothing is busy for it (latency, barriers, the start of its block). When
// it ends another takes its place, so their number is constant: mean value analysis says how many
// end per cycle.
//
// A unit serves in first-come order and takes the same time for each warp, so that a warp arriving
// finds on average half of the service in progress left (not all of it, as for exponential
// service): with demand D, U busy and Q present on average,
//
//   residence R = D (1 + Q' - U' / 2),   Q' and U' with one warp fewer (Schweitzer: times (n-1)/n)
//   throughput X = n / (delay + sum of R),   Q = X R,   U = X D
//
// Bounds that every solution keeps: X <= 1 / max D and X <= n / (delay + sum of D).
// Lazowska, Zahorjan, Graham, Sevcik, «Quantitative System Performance» (1984), chapters 6 and 7.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpledger::profile::time {

struct Unit {
  std::string name;
  double demand = 0;    // cycles of this unit that one warp needs, in SM cycles
  bool shared = false;  // one for the whole GPU; else one in every SM
};

struct Network {
  double sms = 1;
  double warps = 1;  // resident in each SM
  double delay = 0;  // cycles in which a warp is in no unit
  std::vector<Unit> units;
};

struct Flow {
  double warps_per_cycle = 0;       // that end, over the whole GPU
  double residence = 0;             // cycles from a warp's start to its end, delay included
  std::vector<double> utilisation;  // by unit, 0..1
};

/// Pre: sms, warps > 0; demands and delay not negative, not all zero.
[[nodiscard]] Flow solve(const Network& network);

}  // namespace warpledger::profile::time
