// The L1 of one SM: 4 tag banks, sectored 128 B lines, replaced by age within sets of at most 16
// ways. Loads allocate the line and fetch the missing sectors; a sector that is still on its way
// counts as a hit, so a fill is immediate here. Stores go through to the L2, allocate the tag and
// fetch nothing: a store hits when its line's tag is there, and leaves the sectors it covers whole
// readable. Empty at the start of a kernel.
#pragma once

#include "warpledger/memory/coalescer.h"
#include "warpledger/memory/tag_array.h"

namespace warpledger::memory {

class L1 {
 public:
  explicit L1(uint64_t bytes);

  enum class Allocate : uint8_t { kNormal, kEvictFirst, kNever };

  /// The sectors of `sectors` that hit; the others are fetched (and kept, if allocated).
  uint8_t load(uint32_t line, uint8_t sectors, Allocate allocate = Allocate::kNormal);

  /// Whether the line's tag was there. `whole`: sectors of which every byte is written.
  bool store(uint32_t line, uint8_t whole);

  [[nodiscard]] uint64_t lines() const { return lines_; }

 private:
  TagArray::Set& set_of(uint32_t line) {
    return tags_[tag_bank(line) * sets_per_bank_ + index_(line / kTagBanks)];
  }

  uint32_t sets_per_bank_;
  uint32_t ways_;
  uint64_t lines_;
  SetIndex index_;
  TagArray tags_;
  uint32_t clock_ = 1;
};

inline uint8_t L1::load(uint32_t line, uint8_t sectors, Allocate allocate) {
  TagArray::Set& set = set_of(line);
  uint32_t way = set.find(line);
  if (way == TagArray::kWays) {
    if (allocate == Allocate::kNever) return 0;
    way = set.oldest();
    set.tag[way] = line;
    set.valid[way] = 0;
  }
  const auto hit = static_cast<uint8_t>(set.valid[way] & sectors);
  if (allocate != Allocate::kNever) set.valid[way] = static_cast<uint8_t>(set.valid[way] | sectors);
  set.stamp[way] = allocate == Allocate::kEvictFirst ? 0 : clock_++;
  return hit;
}

inline bool L1::store(uint32_t line, uint8_t whole) {
  TagArray::Set& set = set_of(line);
  uint32_t way = set.find(line);
  const bool hit = way != TagArray::kWays;
  if (!hit) {
    way = set.oldest();
    set.tag[way] = line;
    set.valid[way] = 0;
  }
  set.valid[way] = static_cast<uint8_t>(set.valid[way] | whole);
  set.stamp[way] = clock_++;
  return hit;
}

}  // namespace warpledger::memory
