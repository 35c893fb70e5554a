// Exchange between the lanes of a warp: what shfl, vote, match, redux and elect answer each lane.
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

/// What lanes bring to a shfl, vote, match, redux or elect that they execute together. Each names
/// the lanes that it wants to hear of: lanes of one warp may name different sets.
struct Exchange {
  Lanes lanes = 0;              // that are here
  PerLane<Lanes> members = {};  // whom a lane names, as far as they are here
  PerLane<uint64_t> value = {};
  PerLane<uint32_t> by = {}, clamp = {};  // shfl's b and c
};
struct Exchanged {
  PerLane<uint64_t> value = {};  // of vote.all, .any and .uni: 0 or 1
  Lanes predicate = 0;           // the second result of shfl, match and elect
};

/// Answers every lane over the lanes that it names. A lane that shuffles from one that is not here
/// keeps its own value; from one that is here and that it does not name, it gets what that one has.
[[nodiscard]] Exchanged exchange(const Variant& variant, const Exchange& given);

}  // namespace warpledger::exec
