#include "warpledger/memory/l2.h"

#include <bit>

#include "warpledger/base/check.h"
#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

uint32_t partitions_of(const L2Config& config) { return config.fabric == Fabric::kNone ? 1 : 2; }

uint32_t sets_of(const L2Config& config) {
  const uint64_t lines = config.bytes / kLineBytes / partitions_of(config);
  WL_CHECK(lines >= TagSet::kWays);
  return static_cast<uint32_t>(lines / TagSet::kWays);
}

/// The sectors that a fetch of `sectors` brings: themselves, or whole pairs of 64 bytes.
uint8_t fetched_with(uint8_t sectors, uint32_t fetch_bytes) {
  if (fetch_bytes == kSectorBytes) return sectors;
  return static_cast<uint8_t>(sectors | (sectors & 0b0101) << 1 | (sectors & 0b1010) >> 1);
}

}  // namespace

L2::L2(const L2Config& config, Dram& dram)
    : config_(config),
      dram_(dram),
      index_(sets_of(config)),
      dirty_limit_(static_cast<uint64_t>(static_cast<double>(config.bytes) * config.dirty_share) /
                   kSectorBytes / partitions_of(config)) {
  for (uint32_t i = 0; i < partitions_of(config); ++i) {
    partitions_.push_back({TagArray(sets_of(config), TagSet::kWays)});
  }
}

/// Which partition owns the line; the true hash is not public, a uniform one is assumed.
uint32_t L2::home_of(uint32_t line) const {
  if (partitions_.size() == 1) return 0;
  return static_cast<uint32_t>(std::popcount(line * 0x85EBCA6Bu >> 7)) & 1;
}

L2::Place L2::touch(uint32_t side, uint32_t line) {
  Partition& partition = partitions_[side];
  TagSet& set = partition.tags[index_(line)];
  uint32_t way = set.find(line);
  if (way == TagSet::kWays) {
    way = set.oldest();
    if (set.dirty[way]) {
      write_back(partition, set.tag[way], set.dirty[way]);
      set.dirty[way] = 0;
      if (!incomplete_.empty()) incomplete_.erase(set.tag[way]);
    }
    set.assign(way, line);
  }
  set.touch(way);
  return {&partition, &set, way};
}

void L2::process(const L2Queue& queue, size_t first, size_t last, uint32_t side,
                 std::vector<SiteCounters>& sites) {
  constexpr size_t kAhead = 4;
  const std::span<const L2Request> requests = queue.requests();
  if (partitions_.size() == 1) side = 0;
  for (size_t i = first; i < last; ++i) {
    if (i + kAhead < last) {
      const TagSet& next = partitions_[side].tags[index_(requests[i + kAhead].line)];
      __builtin_prefetch(&next);
      __builtin_prefetch(&next.order);
    }
    const L2Request& request = requests[i];
    SiteCounters& site = sites[request.site];
    const uint64_t fetched = dram_.counters().read_sectors;
    const uint64_t promoted = counters_.promoted_sectors;
    uint8_t hit = request.sectors;
    switch (request.operation) {
      case L2Operation::kRead:
        hit = read(request, side);
        break;
      case L2Operation::kWrite:
        hit = write(request, queue.masks(), side);
        break;
      case L2Operation::kAtomic:
        hit = update(request, side);
        break;
    }
    ++site.l2_requests;
    site.l2_partial_requests += request.partial != 0;
    site.l2_sectors += sector_count(request.sectors);
    site.l2_hit_sectors += sector_count(hit);
    site.l2_promoted_sectors += counters_.promoted_sectors - promoted;
    site.dram_read_sectors += dram_.counters().read_sectors - fetched;
  }
}

/// Fills missing sectors from DRAM, and those that are fetched along with them.
void L2::fetch(Place place, uint32_t line, uint8_t missing) {
  const uint8_t valid = place.set->valid[place.way];
  const auto brought = static_cast<uint8_t>(fetched_with(missing, config_.fetch_bytes) & ~valid);
  if (brought) dram_.read(line, brought);
  place.set->add_valid(place.way, brought);
  counters_.promoted_sectors += sector_count(static_cast<uint8_t>(brought & ~missing));
}

uint8_t L2::read(const L2Request& request, uint32_t side) {
  const Place near = touch(side, request.line);
  const auto hit = static_cast<uint8_t>(near.set->valid[near.way] & request.sectors);
  const auto missing = static_cast<uint8_t>(request.sectors & ~hit);
  counters_.read_sectors += sector_count(request.sectors);
  counters_.read_hits += sector_count(hit);
  if (!missing) return hit;
  const uint32_t home = home_of(request.line);
  if (home == side || partitions_.size() == 1) {
    fetch(near, request.line, missing);
    return hit;
  }
  const Place far = touch(home, request.line);
  const auto far_hit = static_cast<uint8_t>(far.set->valid[far.way] & missing);
  counters_.fabric_sectors += sector_count(missing);
  counters_.fabric_hits += sector_count(far_hit);
  fetch(far, request.line, static_cast<uint8_t>(missing & ~far_hit));
  near.set->add_valid(near.way, missing);
  if (config_.fabric == Fabric::kGa100) {  // the near fill is a look-up of its own, and hits;
    counters_.fabric_sectors += sector_count(missing);  // what the far side had counts as the
    counters_.fabric_hits += sector_count(missing);     // SM's hit too
    counters_.read_hits += sector_count(far_hit);
  }
  return hit;
}

/// Fills the sector alone: T4's reports count a fill for every sector written in part.
uint8_t L2::fill_partial(Place place, uint32_t line, uint8_t lacking) {
  if (!lacking || !config_.fill_partial_writes) return 0;
  dram_.read(line, lacking);
  place.set->add_valid(place.way, lacking);
  counters_.ecc_sectors += sector_count(lacking);
  return lacking;
}

uint8_t L2::write(const L2Request& request, const ByteMask* masks, uint32_t side) {
  const uint32_t home = home_of(request.line);
  counters_.write_sectors += sector_count(request.sectors);
  if (home != side) {
    counters_.fabric_sectors += sector_count(request.sectors);
    counters_.fabric_hits += sector_count(request.sectors);
    static_cast<void>(touch(side, request.line));
  }
  const Place place = touch(home, request.line);
  const uint8_t whole = request.partial ? complete(request, masks[request.bytes]) : request.sectors;
  const auto lacking =
      static_cast<uint8_t>(request.sectors & ~whole & ~place.set->valid[place.way]);
  place.set->add_valid(place.way, whole);
  const uint8_t filled = fill_partial(place, request.line, lacking);
  const auto hit = static_cast<uint8_t>(request.sectors & ~filled);
  counters_.write_hits += sector_count(hit);
  mark_dirty(place, request.line, request.sectors);
  return hit;
}

uint8_t L2::complete(const L2Request& request, const ByteMask& written) {
  ByteMask& bytes = incomplete_[request.line];
  bytes[0] |= written[0];
  bytes[1] |= written[1];
  uint32_t begun = 0;
  for (uint32_t sector = 0; sector < 4; ++sector) {
    if (bytes[sector / 2] >> (32 * (sector % 2)) & 0xFFFFFFFF) begun |= 1u << sector;
  }
  const uint8_t partial = LineTouch{0, static_cast<uint8_t>(begun), bytes}.partial_sectors();
  if (!partial) incomplete_.erase(request.line);
  return static_cast<uint8_t>(request.sectors & ~partial);
}

uint8_t L2::update(const L2Request& request, uint32_t side) {
  const uint32_t home = home_of(request.line);
  const Place place = touch(home, request.line);
  const auto hit = static_cast<uint8_t>(place.set->valid[place.way] & request.sectors);
  counters_.atomic_sectors += sector_count(request.sectors);
  counters_.atomic_hits += sector_count(hit);
  hottest_.note(uint64_t{request.line} * 16 + request.sectors);
  if (home != side) {
    counters_.fabric_sectors += sector_count(request.sectors);
    counters_.fabric_hits += sector_count(hit);
  }
  fetch(place, request.line, static_cast<uint8_t>(request.sectors & ~hit));
  mark_dirty(place, request.line, request.sectors);
  return hit;
}

void L2::mark_dirty(Place place, uint32_t line, uint8_t sectors) {
  const uint8_t dirty = place.set->dirty[place.way];
  if (!dirty) place.partition->dirty_lines.push_back(line);
  place.partition->dirty_sectors += sector_count(static_cast<uint8_t>(sectors & ~dirty));
  place.set->add_dirty(place.way, sectors);
  if (place.partition->dirty_sectors > dirty_limit_) clean_oldest(*place.partition);
}

/// Writes the oldest dirty lines back until the limit is kept again; gives up after a few that have
/// gone already or wait for more of their bytes.
void L2::clean_oldest(Partition& partition) {
  for (int tries = 0; tries < 8 && partition.dirty_sectors > dirty_limit_; ++tries) {
    const uint32_t line = partition.dirty_lines.front();
    partition.dirty_lines.pop_front();
    TagSet& set = partition.tags[index_(line)];
    const uint32_t way = set.find(line);
    if (way == TagSet::kWays || !set.dirty[way]) continue;
    if (!incomplete_.empty() && incomplete_.contains(line)) {
      partition.dirty_lines.push_back(line);
      continue;
    }
    write_back(partition, line, set.dirty[way]);
    set.dirty[way] = 0;
  }
}

void L2::write_back(Partition& partition, uint32_t line, uint8_t sectors) {
  partition.dirty_sectors -= sector_count(sectors);
  dram_.write(line, sectors);
  if (config_.fabric == Fabric::kGa100) far_write_backs_ += sector_count(sectors);
}

void L2::finish() {
  for (const Partition& partition : partitions_) {
    for (const TagSet& set : partition.tags.sets()) {
      for (uint32_t way = 0; way < TagSet::kWays; ++way) {
        if (set.dirty[way]) dram_.leave_dirty(set.tag[way], set.dirty[way]);
      }
    }
  }
}

void L2::inherit(L2&& before) {
  partitions_ = std::move(before.partitions_);
  incomplete_ = std::move(before.incomplete_);
}

uint64_t L2::dirty_sectors() const {
  uint64_t sum = 0;
  for (const Partition& partition : partitions_) sum += partition.dirty_sectors;
  return sum;
}

std::vector<Look> L2::look(const L2Request& request, uint32_t side) const {
  const uint32_t home = home_of(request.line), set = index_(request.line);
  if (partitions_.size() == 1) side = 0;
  const uint32_t first = request.operation == L2Operation::kRead ? side : home;
  std::vector<Look> looks = {look_at(partitions_[first].tags, set, request.line)};
  if (first != home && (request.sectors & ~looks[0].valid))
    looks.push_back(look_at(partitions_[home].tags, set, request.line));
  return looks;
}

L2Counters L2::counters() const {
  L2Counters all = counters_;
  all.hottest_atomics = hottest_.most();
  all.fabric_sectors += far_write_backs_ / 2;  // GA100: half of the write-backs cross the fabric
  all.fabric_hits += far_write_backs_ / 2;
  return all;
}

}  // namespace warpledger::memory
