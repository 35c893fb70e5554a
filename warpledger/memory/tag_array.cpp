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

}  // namespace warpledger::memory
