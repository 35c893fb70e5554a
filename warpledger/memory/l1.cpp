#include "warpledger/memory/l1.h"

#include <algorithm>

#include "warpledger/base/check.h"
#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

uint32_t lines_per_bank(uint64_t bytes) {
  return std::max(1u, static_cast<uint32_t>(bytes / kLineBytes / kTagBanks));
}

uint32_t sets_for(uint64_t bytes) {
  return static_cast<uint32_t>(ceil_div(lines_per_bank(bytes), TagSet::kWays));
}

}  // namespace

L1::L1(uint64_t bytes)
    : ways_per_set_(lines_per_bank(bytes) / sets_for(bytes)),
      index_(sets_for(bytes)),
      lines_(size_t{kTagBanks} * sets_for(bytes) * kWays, TagSet::kNoLine),
      states_(lines_.size()) {
  WL_CHECK(lines_.size() <= size_t{1} << 16);
  for (uint32_t place = 0; place < states_.size(); ++place)
    states_[place] = place % kWays < ways_per_set_ ? place % kWays * kWayStep : kAbsent;
}

uint32_t L1::find(uint32_t line, uint32_t set) const {
  const uint32_t way = find_way(&lines_[set], line);
  return way == kWays ? kNowhere : set + way;
}

uint32_t L1::oldest(uint32_t set) const {
  const uint64_t* const state = &states_[set];
  std::array<uint64_t, 4> least = {state[0], state[1], state[2], state[3]};  // at once
  for (uint32_t way = 4; way < kWays; ++way) least[way % 4] = std::min(least[way % 4], state[way]);
  const uint64_t oldest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  return set + static_cast<uint32_t>(oldest / kWayStep % kWays);
}

uint32_t L1::find_or_replace(uint32_t line) {
  const uint32_t set = set_of(line);
  const uint32_t place = find(line, set);
  if (place == kNowhere) return replace(line, set);
  recent_[recent_of(line)] = static_cast<uint16_t>(place);
  return place;
}

uint32_t L1::replace(uint32_t line, uint32_t set) {
  const uint32_t place = oldest(set);
  lines_[place] = line;
  states_[place] = place % kWays * kWayStep;
  recent_[recent_of(line)] = static_cast<uint16_t>(place);
  return place;
}

uint8_t L1::load(uint32_t line, uint8_t sectors, Allocate allocate) {
  if (allocate == Allocate::kNormal) return load(line, sectors);
  const uint32_t set = set_of(line);
  uint32_t place = find(line, set);
  if (allocate == Allocate::kNever)
    return place == kNowhere ? uint8_t{0} : read(place, sectors & valid_in(place));
  if (place == kNowhere) place = replace(line, set);
  const uint8_t hit = read(place, sectors);
  states_[place] %= kTick;
  return hit;
}

bool L1::store(uint32_t line, uint8_t whole) {
  const uint32_t set = set_of(line);
  uint32_t place = find(line, set);
  const bool hit = place != kNowhere;
  if (!hit) place = replace(line, set);
  read(place, whole);
  return hit;
}

Look L1::look(uint32_t line) const {
  const uint32_t first = set_of(line);
  const uint32_t set = tag_bank(line) * index_.count() + first / kWays / kTagBanks;
  const uint32_t place = find(line, first);
  if (place != kNowhere)
    return {.set = set, .way = place % kWays, .is_there = true, .valid = valid_in(place)};
  const uint32_t victim = oldest(first);
  return {.set = set, .way = victim % kWays, .victim = lines_[victim]};
}

}  // namespace warpledger::memory
