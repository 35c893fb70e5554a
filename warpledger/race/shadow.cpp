#include "warpledger/race/shadow.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>

namespace warpledger::race {
namespace {

bool writes(Role role) { return role == Role::kWrite || role == Role::kStrongWrite; }

Hazard hazard_of(Role first, Role second) {
  if (!writes(first)) return Hazard::kWriteAfterRead;
  return writes(second) ? Hazard::kWriteAfterWrite : Hazard::kReadAfterWrite;
}

/// The order that warps in step would have; the read first where that does not tell.
bool comes_first(const Touch& a, const Touch& b) {
  const auto key = [](const Touch& t) {
    return std::tuple(t.position, writes(t.role), t.site, t.block, t.thread);
  };
  return key(a) < key(b);
}

/// Whether whatever races with one of them races with the other, where their bytes are the same.
bool are_alike(const Touch& a, const Touch& b) {
  return a.block == b.block && a.interval == b.interval && a.warp() == b.warp() &&
         a.has_acquired == b.has_acquired && a.is_released == b.is_released &&
         a.block_has_acquired == b.block_has_acquired;
}

Party party_of(const Touch& touch) { return {touch.site, touch.block, touch.thread}; }

}  // namespace

std::string_view to_text(Hazard hazard) {
  static constexpr std::array<std::string_view, 3> kNames = {"write-after-read", "read-after-write",
                                                             "write-after-write"};
  return kNames[static_cast<size_t>(hazard)];
}

bool are_concurrent(const Touch& a, const Touch& b) {
  if (a.block != b.block) return !a.block_has_acquired && !b.block_has_acquired;
  const bool have_met = (a.has_acquired || b.has_acquired) && (a.is_released || b.is_released);
  return a.interval == b.interval && a.warp() != b.warp() && !have_met;
}

bool conflict(Role a, Role b) {
  const bool strong = (a == Role::kStrongRead || a == Role::kStrongWrite) &&
                      (b == Role::kStrongRead || b == Role::kStrongWrite);
  return !strong && (a == Role::kWrite || b == Role::kWrite);
}

void Tally::add(trace::Space space, const Touch& a, const Touch& b, uint64_t address) {
  const bool in_order = comes_first(a, b);
  const Touch &first = in_order ? a : b, &second = in_order ? b : a;
  const Race race{.space = space,
                  .hazard = hazard_of(first.role, second.role),
                  .first = party_of(first),
                  .second = party_of(second),
                  .address = address,
                  .count = 1};
  const auto [at, is_new] = races_.try_emplace(std::minmax(a.site, b.site), race);
  if (!is_new) merge(at->second, race);
}

// The example does not depend on the order in which races were found.
void Tally::merge(Race& into, const Race& from) {
  const auto key = [](const Race& race) {
    return std::tuple(std::min(race.first.block, race.second.block), race.first.block,
                      race.second.block, race.address, race.first.thread, race.second.thread,
                      race.first.site);
  };
  const uint64_t count = into.count + from.count;
  if (key(from) < key(into)) into = from;
  into.count = count;
}

void Tally::add(const Tally& other) {
  for (const auto& [sites, race] : other.races_) {
    const auto [at, is_new] = races_.try_emplace(sites, race);
    if (!is_new) merge(at->second, race);
  }
}

std::vector<Race> Tally::races() const {
  std::vector<Race> races;
  for (const auto& [sites, race] : races_) races.push_back(race);
  return races;
}

uint32_t& Shadow::newest(uint64_t word) {
  std::unique_ptr<Page>& page = pages_[word / kPageWords];
  if (page == nullptr) page = std::make_unique<Page>();
  return page->first[word % kPageWords];
}

void Shadow::touch(uint64_t word, const Touch& touch, Tally& tally) {
  uint32_t& newest = this->newest(word);
  add_races(word, newest, touch, tally);
  Touch added = touch;
  size_t of_site = 0;
  Touch* oldest = nullptr;  // of this site
  for (uint32_t at = newest; at != 0; at = touches_[at - 1].next) {
    Touch& kept = touches_[at - 1].touch;
    if (kept.site != touch.site) continue;
    ++of_site;
    oldest = &kept;
    if (are_alike(kept, touch)) added.bytes &= static_cast<uint8_t>(~kept.bytes);
  }
  if (added.bytes == 0) return;
  if (of_site >= most_) {
    *oldest = added;
    return;
  }
  touches_.push_back({added, newest});
  newest = static_cast<uint32_t>(touches_.size());
}

// Once for each site that it races with.
void Shadow::add_races(uint64_t word, uint32_t newest, const Touch& touch, Tally& tally) {
  counted_.clear();
  for (uint32_t at = newest; at != 0; at = touches_[at - 1].next) {
    const Touch& kept = touches_[at - 1].touch;
    const uint8_t both = kept.bytes & touch.bytes;
    if (both == 0 || !conflict(kept.role, touch.role) || !are_concurrent(kept, touch)) continue;
    if (std::find(counted_.begin(), counted_.end(), kept.site) != counted_.end()) continue;
    counted_.push_back(kept.site);
    tally.add(space_, kept, touch, 4 * word + static_cast<uint64_t>(std::countr_zero(both)));
  }
}

}  // namespace warpledger::race
