#include "warpledger/exec/semantics/warp.h"

#include "warpledger/exec/numeric/integer.h"

namespace warpledger::exec {

using ptx::Modifier;
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

uint32_t vote(Modifier mode, Lanes predicate, Lanes lanes) {
  predicate &= lanes;
  switch (mode) {
    case Modifier::kAll:
      return predicate == lanes ? 1 : 0;
    case Modifier::kAny:
      return predicate != 0 ? 1 : 0;
    case Modifier::kUni:
      return predicate == 0 || predicate == lanes ? 1 : 0;
    default:
      return predicate;  // .ballot
  }
}

Lanes match_any(const PerLane<uint64_t>& values, Lanes lanes, int lane) {
  Lanes same = 0;
  for_each_lane(lanes, [&](int other) {
    if (values[static_cast<size_t>(other)] == values[static_cast<size_t>(lane)])
      same |= 1u << other;
  });
  return same;
}

Lanes match_all(const PerLane<uint64_t>& values, Lanes lanes) {
  if (lanes == 0) return 0;
  return match_any(values, lanes, __builtin_ctz(lanes)) == lanes ? lanes : 0;
}

uint32_t reduce(const Variant& variant, const PerLane<uint64_t>& values, Lanes lanes) {
  const TypeInfo& type = variant.type[0];
  const Modifier operation = variant.get(Slot::kOperation);
  const numeric::Extreme extreme{.nan = variant.has(Modifier::kNaN)};
  bool first = true;
  uint64_t result = 0;
  for_each_lane(lanes, [&](int lane) {
    uint64_t value = values[static_cast<size_t>(lane)];
    if (variant.has(Modifier::kAbs)) value = numeric::abs(numeric::kF32, value);
    if (first) {
      result = value;
      first = false;
      return;
    }
    switch (operation) {
      case Modifier::kAdd:
        result += value;
        break;
      case Modifier::kAnd:
        result &= value;
        break;
      case Modifier::kOr:
        result |= value;
        break;
      case Modifier::kXor:
        result ^= value;
        break;
      case Modifier::kMin:
        result = type.is_float ? numeric::min(type.format, result, value, extreme)
                               : numeric::smaller(type.integer(), result, value);
        break;
      default:
        result = type.is_float ? numeric::max(type.format, result, value, extreme)
                               : numeric::larger(type.integer(), result, value);
    }
  });
  return static_cast<uint32_t>(result);
}

}  // namespace warpledger::exec
