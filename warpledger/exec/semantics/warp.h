// Exchange between the lanes of a warp: what shfl, vote, match and redux compute from all lanes.
// `lanes` is the set that takes part; values of other lanes are never read.
#pragma once

#include <array>
#include <cstdint>

#include "warpledger/exec/semantics/variant.h"

namespace warpledger::exec {

inline constexpr int kWarpSize = 32;
using Lanes = uint32_t;  // bit l: lane l
template <class T>
using PerLane = std::array<T, kWarpSize>;

/// Calls f(lane) for each lane of the set, ascending.
template <class F>
void for_each_lane(Lanes lanes, F f) {
  for (; lanes != 0; lanes &= lanes - 1) f(__builtin_ctz(lanes));
}

/// shfl: the lane that `lane` reads from, and whether it lies within the segment. PTX ISA,
/// shfl.sync: c holds the clamp in bits 4..0 and the segment mask in bits 12..8.
struct ShuffleSource {
  int lane = 0;
  bool in_range = false;
};
[[nodiscard]] ShuffleSource shuffle_source(ptx::Modifier mode, int lane, uint32_t b, uint32_t c);

/// vote.all, .any, .uni: 0 or 1; .ballot: the set.
[[nodiscard]] uint32_t vote(ptx::Modifier mode, Lanes predicate, Lanes lanes);

/// match.any: the lanes that hold the same value as `lane`.
[[nodiscard]] Lanes match_any(const PerLane<uint64_t>& values, Lanes lanes, int lane);
/// match.all: `lanes` when all hold the same value, else 0.
[[nodiscard]] Lanes match_all(const PerLane<uint64_t>& values, Lanes lanes);

/// redux: the same result for every lane.
[[nodiscard]] uint32_t reduce(const Variant& variant, const PerLane<uint64_t>& values, Lanes lanes);

}  // namespace warpledger::exec
