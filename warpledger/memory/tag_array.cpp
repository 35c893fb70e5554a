#include "warpledger/memory/tag_array.h"

#include "warpledger/base/check.h"

namespace warpledger::memory {

TagArray::TagArray(uint32_t sets, uint32_t ways) : sets_(sets) {
  WL_CHECK(sets > 0 && ways > 0 && ways <= kWays);
  for (Set& set : sets_) {
    set.tag.fill(kNoLine);
    set.valid.fill(0);
    set.dirty.fill(0);
    for (uint32_t way = 0; way < kWays; ++way) set.stamp[way] = way < ways ? 0 : 0xFFFFFFFF;
  }
}

}  // namespace warpledger::memory
