#include "warpledger/memory/tag_array.h"

#include <algorithm>

#include "warpledger/base/check.h"

namespace warpledger::memory {

TagArray::TagArray(uint32_t sets, uint32_t ways) : sets_(sets) {
  WL_CHECK(sets > 0 && ways > 0 && ways <= TagSet::kWays);
  TagSet empty{};
  empty.tag.fill(TagSet::kNoLine);
  for (uint32_t way = 0; way < ways; ++way) {
    empty.order |= uint64_t{way} << (4 * way);
    empty.replace_first(way);
  }
  empty.last = static_cast<uint8_t>(4 * (ways - 1));
  std::fill(sets_.begin(), sets_.end(), empty);
}

Look look_at(const TagArray& tags, uint32_t set, uint32_t line) {
  const TagSet& at = tags.sets()[set];
  const uint32_t way = at.find(line);
  if (way != TagSet::kWays)
    return {.set = set, .way = way, .is_there = true, .valid = at.valid[way]};
  const uint32_t oldest = at.oldest();
  return {.set = set,
          .way = oldest,
          .victim = at.tag[oldest],
          .victim_dirty = at.tag[oldest] == TagSet::kNoLine ? uint8_t{0} : at.dirty[oldest]};
}

}  // namespace warpledger::memory
