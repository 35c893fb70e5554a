// The L1 of one SM: 4 tag banks, sectored 128 B lines, replaced by age within sets of at most 16
// ways. Loads allocate the line and fetch the missing sectors; a sector that is still on its way
// counts as a hit, so a fill is immediate here. Stores go through to the L2, allocate the tag and
// fetch nothing: a store hits when its line's tag is there, and leaves the sectors it covers whole
// readable. Empty at the start of a kernel.
//
// Most accesses of a launch end here, so a hit is quick: the line's way is remembered, and ages are
// times, which only a replacement compares.
#pragma once

#include <vector>

#include "warpledger/memory/coalescer.h"
#include "warpledger/memory/tag_array.h"

namespace warpledger::memory {

class L1 {
 public:
  explicit L1(uint64_t bytes);

  enum class Allocate : uint8_t { kNormal, kEvictFirst, kNever };

  /// The sectors of `sectors` that hit; the others are fetched (and kept, if allocated).
  uint8_t load(uint32_t line, uint8_t sectors) { return read(place_of(line), sectors); }
  uint8_t load(uint32_t line, uint8_t sectors, Allocate allocate);

  /// Whether the line's tag was there. `whole`: sectors of which every byte is written.
  bool store(uint32_t line, uint8_t whole);

  /// The two halves of load(): the line's place, where an absent line takes that of the oldest, ...
  [[nodiscard]] uint32_t place_of(uint32_t line) {
    const uint32_t place = recent_[recent_of(line)];
    return lines_[place] == line ? place : find_or_replace(line);
  }
  /// ... which becomes the newest of its set, and the sectors there.
  uint8_t read(uint32_t place, uint8_t sectors) {
    const uint64_t before = states_[place];
    states_[place] = (now_ += kTick) | before % kTick | sectors;
    return static_cast<uint8_t>(before & sectors);
  }
  /// tag_bank() of the line in that place.
  [[nodiscard]] static uint32_t bank_of(uint32_t place) { return place / kWays % kTagBanks; }

  /// How many it holds.
  [[nodiscard]] uint64_t lines() const {
    return uint64_t{index_.count()} * kTagBanks * ways_per_set_;
  }

  /// Where the line is, or would go; changes nothing. For those who watch (cache_trace.h).
  [[nodiscard]] Look look(uint32_t line) const;

 private:
  static constexpr uint32_t kWays = TagSet::kWays;
  static constexpr uint32_t kRecentBits = 10;
  static constexpr uint32_t kNowhere = ~uint32_t{0};
  /// A way's state, so that the least of a set's is the one to be replaced: when it was touched
  /// last, in ticks, then its number, then its valid sectors. Time 0: never used, or streamed.
  static constexpr uint64_t kTick = 256, kWayStep = 16;
  static constexpr uint64_t kAbsent = ~uint64_t{0};  // the set has no such way

  /// The first way of the line's set; sets of the four banks alternate.
  [[nodiscard]] uint32_t set_of(uint32_t line) const {
    return (index_(line / kTagBanks) * kTagBanks + tag_bank(line)) * kWays;
  }
  static uint32_t recent_of(uint32_t line) { return line * 0x9E3779B1u >> (32 - kRecentBits); }
  [[nodiscard]] uint8_t valid_in(uint32_t place) const {
    return static_cast<uint8_t>(states_[place] % kWayStep);
  }
  /// The line's place in its set, or kNowhere.
  [[nodiscard]] uint32_t find(uint32_t line, uint32_t set) const;
  /// The place that is given to the next line of the set.
  [[nodiscard]] uint32_t oldest(uint32_t set) const;
  uint32_t find_or_replace(uint32_t line);
  uint32_t replace(uint32_t line, uint32_t set);

  uint32_t ways_per_set_;
  SetIndex index_;               // of a bank's sets
  std::vector<uint32_t> lines_;  // by place, set by set
  std::vector<uint64_t> states_;
  uint64_t now_ = 0;
  std::array<uint16_t, 1 << kRecentBits> recent_{};  // places of lines asked for lately: a guess
};

}  // namespace warpledger::memory
