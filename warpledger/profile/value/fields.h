// Counters as plain numbers, so that they can be weighted, extrapolated and rounded alike.
#pragma once

#include <cmath>

#include "warpledger/memory/memory.h"

namespace warpledger::profile {

/// A site's counters as numbers that need not be whole.
using SiteNumbers = memory::SiteCountersOf<double>;

[[nodiscard]] inline SiteNumbers numbers_of(const memory::SiteCounters& counters) {
  SiteNumbers numbers;
  memory::each_counter([](double& x, uint64_t n) { x = static_cast<double>(n); }, numbers,
                       counters);
  return numbers;
}

[[nodiscard]] inline uint64_t whole(double x) {
  return x <= 0 ? 0 : static_cast<uint64_t>(std::llround(x));
}

[[nodiscard]] inline memory::SiteCounters counters_of(const SiteNumbers& numbers) {
  memory::SiteCounters counters;
  memory::each_counter([](uint64_t& n, double x) { n = whole(x); }, counters, numbers);
  return counters;
}

inline void add_scaled(SiteNumbers& sum, const SiteNumbers& other, double factor) {
  memory::each_counter([factor](double& to, double x) { to += factor * x; }, sum, other);
}

}  // namespace warpledger::profile
