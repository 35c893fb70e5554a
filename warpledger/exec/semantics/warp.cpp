#include "warpledger/exec/semantics/warp.h"

#include "warpledger/exec/semantics/combine.h"

namespace warpledger::exec {

using ptx::Modifier;
using ptx::Op;
using ptx::Slot;

ShuffleSource shuffle_source(Modifier mode, int lane, uint32_t b, uint32_t c) {
  const int by = static_cast<int>(b & 31);
  const int segment = static_cast<int>((c >> 8) & 31), clamp = static_cast<int>(c & 31);
  const int highest = (lane & segment) | (clamp & ~segment);
  const int lowest = lane & segment;
  int from = 0;
  bool in_range = false;
  switch (mode) {
    case Modifier::kUp:
      from = lane - by, in_range = from >= highest;
      break;
    case Modifier::kDown:
      from = lane + by, in_range = from <= highest;
      break;
    case Modifier::kBfly:
      from = lane ^ by, in_range = from <= highest;
      break;
    default:
      from = lowest | (by & ~segment), in_range = from <= highest;
      break;  // .idx
  }
  return {in_range ? from : lane, in_range};
}

namespace {

struct Answer {
  uint64_t value = 0;
  bool predicate = false;
};

Answer shuffle(const Variant& variant, const Exchange& given, int lane) {
  const auto at = static_cast<size_t>(lane);
  const ShuffleSource from =
      shuffle_source(variant.get(Slot::kOperation), lane, given.by[at], given.clamp[at]);
  const bool there = ((given.lanes >> from.lane) & 1) != 0;
  return {given.value[there ? static_cast<size_t>(from.lane) : at], from.in_range};
}

// .ballot: the set.
Answer vote(const Variant& variant, const Exchange& given, Lanes members) {
  Lanes yes = 0;
  for_each_lane(members, [&](int lane) {
    if ((given.value[static_cast<size_t>(lane)] & 1) != 0) yes |= 1u << lane;
  });
  switch (variant.get(Slot::kOperation)) {
    case Modifier::kAll:
      return {yes == members ? 1u : 0u};
    case Modifier::kAny:
      return {yes != 0 ? 1u : 0u};
    case Modifier::kUni:
      return {yes == 0 || yes == members ? 1u : 0u};
    default:
      return {yes};
  }
}

// The members that hold the same value as `lane`.
Lanes same_as(const Exchange& given, Lanes members, int lane) {
  Lanes same = 0;
  for_each_lane(members, [&](int other) {
    if (given.value[static_cast<size_t>(other)] == given.value[static_cast<size_t>(lane)])
      same |= 1u << other;
  });
  return same;
}

// .all: the members, or no lane if they differ.
Answer match(const Variant& variant, const Exchange& given, Lanes members, int lane) {
  if (!variant.has(Modifier::kAll)) return {same_as(given, members, lane), true};
  if (members == 0) return {};
  const bool all = same_as(given, members, __builtin_ctz(members)) == members;
  return {all ? members : 0, all};
}

Answer reduce(const Variant& variant, const Exchange& given, Lanes members) {
  const Combination how{.operation = variant.get(Slot::kOperation),
                        .nan = variant.has(Modifier::kNaN)};
  uint64_t result = 0;
  bool first = true;
  for_each_lane(members, [&](int lane) {
    uint64_t value = given.value[static_cast<size_t>(lane)];
    if (variant.has(Modifier::kAbs)) value = numeric::abs(numeric::kF32, value);
    result = first ? value : combine(variant.type[0], how, result, value);
    first = false;
  });
  return {static_cast<uint32_t>(result)};
}

// The lowest lane is elected.
Answer elect(Lanes members, int lane) {
  const int leader = members == 0 ? 0 : __builtin_ctz(members);
  return {static_cast<uint64_t>(leader), members != 0 && lane == leader};
}

// Whether lanes that name the same members get the same answer.
bool is_shared(const Variant& variant) {
  const Op op = variant.spelling->op();
  return op == Op::kVote || op == Op::kRedux;
}

Answer answer(const Variant& variant, const Exchange& given, int lane) {
  const Lanes members = given.members[static_cast<size_t>(lane)];
  switch (variant.spelling->op()) {
    case Op::kShfl:
      return shuffle(variant, given, lane);
    case Op::kVote:
      return vote(variant, given, members);
    case Op::kMatch:
      return match(variant, given, members, lane);
    case Op::kRedux:
      return reduce(variant, given, members);
    default:
      return elect(members, lane);
  }
}

}  // namespace

Exchanged exchange(const Variant& variant, const Exchange& given) {
  Exchanged done;
  const bool shared = is_shared(variant);
  int before = -1;  // a lane that has its answer
  Answer last;
  for_each_lane(given.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    const bool again =
        shared && before >= 0 && given.members[static_cast<size_t>(before)] == given.members[at];
    if (!again) last = answer(variant, given, lane);
    before = lane;
    done.value[at] = last.value;
    if (last.predicate) done.predicate |= 1u << lane;
  });
  return done;
}

}  // namespace warpledger::exec
