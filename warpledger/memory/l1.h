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
  uint8_t load(uint32_t line, uint8_t sectors);
  uint8_t load(uint32_t line, uint8_t sectors, Allocate allocate);

  /// Whether the line's tag was there. `whole`: sectors of which every byte is written.
  bool store(uint32_t line, uint8_t whole);

  [[nodiscard]] uint64_t lines() const { return lines_; }

  /// Where the line is, or would go; changes nothing. For those who watch (cache_trace.h).
  [[nodiscard]] Look look(uint32_t line) const { return look_at(tags_, set_of(line), line); }

 private:
  /// set_of() of lines asked for lately: the warps of a CTA come to the same lines one after the
  /// other, and a warp's next step to the lines of this one.
  struct Recent {
    uint32_t line = TagSet::kNoLine;
    uint32_t set = 0;
  };
  static constexpr uint32_t kRecentBits = 7;

  [[nodiscard]] uint32_t set_of(uint32_t line) const {
    return tag_bank(line) * sets_per_bank_ + index_(line / kTagBanks);
  }
  [[nodiscard]] TagSet& find_set(uint32_t line) {
    Recent& recent = recents_[line * 0x9E3779B1u >> (32 - kRecentBits)];
    if (recent.line != line) recent = {line, set_of(line)};
    return tags_[recent.set];
  }
  /// The line's way, which becomes the newest; an absent line takes the place of the oldest.
  [[nodiscard]] static uint32_t take_way(TagSet& set, uint32_t line);

  uint32_t sets_per_bank_;
  uint32_t ways_;
  uint64_t lines_;
  SetIndex index_;
  TagArray tags_;
  std::array<Recent, 1 << kRecentBits> recents_{};
};

inline uint32_t L1::take_way(TagSet& set, uint32_t line) {
  uint32_t way = set.find(line);
  if (way == TagSet::kWays) {
    way = set.oldest();
    set.assign(way, line);
  }
  set.touch(way);
  return way;
}

inline uint8_t L1::load(uint32_t line, uint8_t sectors) {
  TagSet& set = find_set(line);
  uint32_t way = set.newest();
  if (set.tag[way] != line || set.first) way = take_way(set, line);
  const auto hit = static_cast<uint8_t>(set.valid[way] & sectors);
  if (hit != sectors) set.add_valid(way, sectors);
  return hit;
}

}  // namespace warpledger::memory
