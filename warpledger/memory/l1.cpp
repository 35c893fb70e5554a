#include "warpledger/memory/l1.h"

#include <algorithm>

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
    : sets_per_bank_(sets_for(bytes)),
      ways_(lines_per_bank(bytes) / sets_per_bank_),
      lines_(uint64_t{kTagBanks} * sets_per_bank_ * ways_),
      index_(sets_per_bank_),
      tags_(kTagBanks * sets_per_bank_, ways_) {}

uint8_t L1::load(uint32_t line, uint8_t sectors, Allocate allocate) {
  if (allocate == Allocate::kNormal) return load(line, sectors);
  TagSet& set = find_set(line);
  uint32_t way = set.find(line);
  const bool never = allocate == Allocate::kNever;
  if (way == TagSet::kWays) {
    if (never) return 0;
    way = set.oldest();
    set.assign(way, line);
  }
  const auto hit = static_cast<uint8_t>(set.valid[way] & sectors);
  if (never) {
    set.touch(way);
  } else {
    set.add_valid(way, sectors);
    set.replace_first(way);
  }
  return hit;
}

bool L1::store(uint32_t line, uint8_t whole) {
  TagSet& set = find_set(line);
  uint32_t way = set.find(line);
  const bool hit = way != TagSet::kWays;
  if (!hit) {
    way = set.oldest();
    set.assign(way, line);
  }
  set.add_valid(way, whole);
  set.touch(way);
  return hit;
}

}  // namespace warpledger::memory
