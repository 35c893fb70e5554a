#include "warpledger/exec/jit/runtime/pattern.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "warpledger/exec/semantics/warp.h"

namespace warpledger::exec::jit {
namespace {

constexpr size_t kMostPatterns = 16'384;
constexpr uint64_t kWindow = 64;

uint64_t hash_of(const int64_t* offset, uint32_t mask, uint32_t width) {
  uint64_t hash = (uint64_t{mask} << 32 | width) * 0x9e3779b97f4a7c15;
  for (int lane = 0; lane < 32; ++lane) {
    hash = (hash ^ static_cast<uint64_t>(offset[lane])) * 0xff51afd7ed558ccd;
  }
  return hash ^ (hash >> 29);
}

// Of a few lanes: it says where to look first, and the pattern there is compared whole.
uint64_t quick_hash(const int64_t* offset, uint32_t mask, uint32_t width) {
  uint64_t hash = (uint64_t{mask} << 32 | width) * 0x9e3779b97f4a7c15;
  for (const int lane : {0, 1, 8, 16, 31}) {
    hash ^= static_cast<uint64_t>(offset[lane]) *
            (0xff51afd7ed558ccd + 2 * static_cast<uint64_t>(lane));
  }
  return hash ^ (hash >> 32);
}

uint32_t group_mask(const Pattern& pattern, int group, int lanes) {
  const uint64_t all = (uint64_t{1} << lanes) - 1;
  return static_cast<uint32_t>(pattern.mask >> (group * lanes) & all);
}

// Offsets of lanes that are out of bounds may be any: differences are taken as unsigned numbers.
uint64_t distance(int64_t from, int64_t to) {
  return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
}

// Lanes in groups of 64 bytes' worth of elements: can each group be read by one load of 64 bytes?
void find_windows(Pattern& pattern, uint64_t element) {
  const int lanes = static_cast<int>(kWindow / element);
  pattern.loads = 1;
  for (int group = 0; group < 32 / lanes; ++group) {
    const uint32_t active = group_mask(pattern, group, lanes);
    int64_t base = active == 0 ? pattern.low : std::numeric_limits<int64_t>::max();
    for_each_lane(active, [&](int l) { base = std::min(base, pattern.offset[group * lanes + l]); });
    pattern.load_base[group] = base;
    for_each_lane(active, [&](int l) {
      const int lane = group * lanes + l;
      const uint64_t at = distance(base, pattern.offset[lane]);
      if (at > kWindow - element) pattern.loads = 0;
      pattern.index4[lane] = static_cast<int32_t>(at / element);
      pattern.index8[lane] = static_cast<int64_t>(at / element);
    });
    const uint64_t end = distance(pattern.low, base) + kWindow;
    pattern.reach = std::max(pattern.reach, end - std::min(end, pattern.extent));
  }
}

// Do the active lanes of each group lie side by side in the order of lanes?
bool find_runs(Pattern& pattern, int lanes, uint64_t stride) {
  for (int group = 0; group < 32 / lanes; ++group) {
    const uint32_t active = group_mask(pattern, group, lanes);
    const int first = active == 0 ? 0 : __builtin_ctz(active);
    const int64_t low = active == 0 ? pattern.low : pattern.offset[group * lanes + first];
    bool side_by_side = true;
    for_each_lane(active, [&](int l) {
      side_by_side &= distance(low, pattern.offset[group * lanes + l]) ==
                      static_cast<uint64_t>(l - first) * stride;
    });
    pattern.store_base[group] =
        active == 0 ? low
                    : static_cast<int64_t>(distance(first * static_cast<int64_t>(stride), low));
    if (!side_by_side) return false;
  }
  return true;
}

void measure(Pattern& pattern) {
  int64_t low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
  pattern.aligned = true;
  for_each_lane(pattern.mask, [&](int lane) {
    low = std::min(low, pattern.offset[lane]);
    high = std::max(high, pattern.offset[lane]);
    pattern.aligned &= pattern.offset[lane] % static_cast<int64_t>(pattern.width) == 0;
  });
  pattern.low = low;
  pattern.extent = distance(low, high) + pattern.width;
}

}  // namespace

const Pattern* PatternTable::find(const int64_t* offset, uint32_t mask, uint32_t element,
                                  uint32_t count) {
  int64_t of_active[32] = {};
  const int64_t* wanted = offset;
  if (mask != ~uint32_t{0}) {
    for_each_lane(mask, [&](int lane) { of_active[lane] = offset[lane]; });
    wanted = of_active;
  }
  std::atomic<const Pattern*>& place =
      recent_[quick_hash(wanted, mask, element << 8 | count) % std::size(recent_)];
  const auto same = [&](const Pattern& other) {
    return other.mask == mask && other.width == element * count && other.element == element &&
           std::memcmp(other.offset, wanted, sizeof of_active) == 0;
  };
  const Pattern* recent = place.load(std::memory_order_acquire);
  if (recent != nullptr && same(*recent)) return recent;
  const uint64_t hash = hash_of(wanted, mask, element << 8 | count);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (same(*it->second)) return place = it->second.get();
  }
  return place = make(hash, wanted, {.mask = mask, .element = element, .count = count});
}

const Pattern* PatternTable::make(uint64_t hash, const int64_t* offset, const Lanes& active) {
  if (by_hash_.size() >= kMostPatterns || active.mask == 0) return &irregular_;
  auto pattern = std::make_unique<Pattern>();
  pattern->mask = active.mask;
  pattern->element = active.element;
  pattern->width = active.element * active.count;
  std::copy_n(offset, 32, pattern->offset);
  measure(*pattern);
  const uint64_t element = pattern->element;
  const bool in_windows = pattern->width == pattern->element && element >= 4;
  if (in_windows) find_windows(*pattern, element);
  const int lanes = in_windows ? static_cast<int>(kWindow / element) : 32;
  pattern->stores = find_runs(*pattern, lanes, pattern->width) ? 1 : 0;
  trace::Shape shape{.mask = pattern->mask};
  using Limits = std::numeric_limits<int32_t>;
  pattern->recorded = true;
  for_each_lane(pattern->mask, [&](int lane) {
    const int64_t at = offset[lane];
    pattern->recorded &= at >= Limits::min() && at <= Limits::max();
    shape.offset[static_cast<size_t>(lane)] = static_cast<int32_t>(at);
  });
  const auto id = pattern->recorded ? shapes_.intern(shape) : std::nullopt;
  pattern->recorded = id.has_value();
  pattern->shape = id.value_or(0);
  return by_hash_.emplace(hash, std::move(pattern))->second.get();
}

}  // namespace warpledger::exec::jit
