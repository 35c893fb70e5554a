// Naive oracles: sets and maps instead of masks and tables.
#pragma once

#include <list>
#include <map>
#include <set>

#include "tests/support/law.h"
#include "warpledger/memory/memory.h"

namespace warpledger::memory {

using warpledger::testing::Rng;

/// Random lanes: strided, permuted, broadcast or scattered, all aligned to the width.
inline Lanes any_lanes(Rng& rng, uint32_t width) {
  Lanes lanes{static_cast<uint32_t>(rng.coin() ? 0xFFFFFFFF : rng.bits()), width, {}};
  const int64_t stride = rng.between(0, rng.size());
  const uint64_t base = static_cast<uint64_t>(rng.between(0, 1 << 20)) * width;
  const int64_t kind = rng.between(0, 3);
  for (size_t lane = 0; lane < kLanes; ++lane) {
    const auto l = static_cast<int64_t>(lane);
    const int64_t step = kind == 0   ? l * stride
                         : kind == 1 ? (l ^ 5) * stride
                         : kind == 2 ? l / 4 * stride
                                     : rng.between(0, 4 * rng.size());
    lanes.address[lane] = base + static_cast<uint64_t>(step) * width;
  }
  return lanes;
}

inline std::set<uint64_t> distinct(const Lanes& lanes, uint64_t unit, uint32_t mask = 0xFFFFFFFF) {
  std::set<uint64_t> seen;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    if (!(lanes.mask & mask & (1u << lane))) continue;
    for (uint64_t byte = 0; byte < lanes.width; ++byte) {
      seen.insert((lanes.address[lane] + byte) / unit);
    }
  }
  return seen;
}

/// Passes over the banks of the lanes in `mask`.
inline uint32_t naive_passes(const Lanes& lanes, uint32_t mask) {
  std::map<uint64_t, uint32_t> load;
  uint32_t most = 0;
  for (const uint64_t word : distinct(lanes, 4, mask)) most = std::max(most, ++load[word % 32]);
  return most;
}

/// A sectored cache with least-recently-used replacement, by lists.
struct NaiveCache {
  uint32_t ways;
  std::map<uint32_t, std::list<std::pair<uint32_t, uint8_t>>> sets;  // newest first

  /// The sectors that hit; nothing when the tag is absent (and `hit_tag` is false).
  uint8_t touch(uint32_t set, uint32_t line, uint8_t sectors, bool& hit_tag) {
    auto& list = sets[set];
    for (auto at = list.begin(); at != list.end(); ++at) {
      if (at->first != line) continue;
      const auto hit = static_cast<uint8_t>(at->second & sectors);
      at->second = static_cast<uint8_t>(at->second | sectors);
      list.splice(list.begin(), list, at);
      hit_tag = true;
      return hit;
    }
    list.emplace_front(line, sectors);
    if (list.size() > ways) list.pop_back();
    hit_tag = false;
    return 0;
  }
};

}  // namespace warpledger::memory
