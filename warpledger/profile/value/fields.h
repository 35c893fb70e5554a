// Counters as plain numbers, so that they can be weighted, extrapolated and rounded alike.
#pragma once

#include <array>
#include <cmath>

#include "warpledger/profile/value/json_fields.h"

namespace warpledger::profile {

inline constexpr size_t kSiteFields = 18;
inline constexpr size_t kExactSiteFields = 11;  // the first ones: they follow from addresses
inline constexpr size_t kRequests = 1, kTagWavefronts = 10, kL2Sectors = 14, kDramReads = 17;
using SiteFields = std::array<double, kSiteFields>;

[[nodiscard]] inline SiteFields fields_of(const memory::SiteCounters& counters) {
  SiteFields fields{};
  size_t at = 0;
  each_site_field(counters,
                  [&](const char*, uint64_t n) { fields[at++] = static_cast<double>(n); });
  return fields;
}

[[nodiscard]] inline uint64_t whole(double x) {
  return x <= 0 ? 0 : static_cast<uint64_t>(std::llround(x));
}

[[nodiscard]] inline memory::SiteCounters counters_of(const SiteFields& fields) {
  memory::SiteCounters counters;
  size_t at = 0;
  each_site_field(counters, [&](const char*, uint64_t& n) { n = whole(fields[at++]); });
  return counters;
}

inline void add_scaled(SiteFields& sum, const SiteFields& other, double factor) {
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += factor * other[i];
}

}  // namespace warpledger::profile
