#include "warpledger/race/block.h"

#include <algorithm>
#include <bit>
#include <unordered_set>
#include <utility>

#include "warpledger/trace/sinks.h"

namespace warpledger::race {
namespace {

using trace::Kind;
using trace::Mark;
using trace::Record;
using trace::Space;

constexpr size_t kCompactAt = size_t{1} << 16;  // slots
constexpr uint32_t kMostRacyIntervals = 1024;   // of a block; further ones are not looked into
// Marks of our own in a stream that is kept.
const Record kRelease = trace::mark(Mark::kUse, 0, 0), kAcquire = trace::mark(Mark::kUse, 0, 1);
const Record kNothing = trace::mark(Mark::kUse, 0, 2);

Role role_of(const trace::Site& site) {
  if (!passes_load_store_unit(site)) return Role::kNone;
  switch (effect_of(site)) {
    case trace::Effect::kRead:
      return site.strong ? Role::kStrongRead : Role::kRead;
    case trace::Effect::kWrite:
      return site.strong ? Role::kStrongWrite : Role::kWrite;
    case trace::Effect::kUpdate:
      return Role::kStrongWrite;
  }
  return Role::kNone;
}

bool may_release(const trace::Site& site) { return site.strong && site.kind != Kind::kLoad; }
bool may_acquire(const trace::Site& site) {
  return site.strong && (site.kind == Kind::kLoad || site.kind == Kind::kAtomic ||
                         site.kind == Kind::kCompareSwap);
}

enum Effect : uint8_t { kChecked = 1, kWritesShared = 2, kReleases = 4, kAcquires = 8 };

uint8_t effects_of(const trace::Site& site, Role role) {
  uint8_t effects = role != Role::kNone ? kChecked : 0;
  if (role == Role::kWrite && site.space == Space::kShared) effects |= kWritesShared;
  if (may_release(site)) effects |= kReleases;
  if (may_acquire(site)) effects |= kAcquires;
  return effects;
}

struct Hash {
  size_t operator()(const Record& record) const {
    return (record.address * 0x9E3779B97F4A7C15u) ^ (uint64_t{record.shape} << 32 | record.site);
  }
};

}  // namespace

void describe_sites(Kernel& kernel, bool shared, bool global) {
  const trace::Sites& sites = *kernel.launch->sites;
  kernel.roles.assign(sites.size(), Role::kNone);
  kernel.effects.assign(sites.size(), 0);
  for (size_t i = 0; i < sites.size(); ++i) {
    const bool checked = (shared && sites[i].space == Space::kShared) ||
                         (global && sites[i].space == Space::kGlobal);
    if (checked) kernel.roles[i] = role_of(sites[i]);
  }
  for (size_t i = 0; i < sites.size(); ++i) {
    for (size_t k = i; k < i + sites[i].group; ++k)
      kernel.effects[i] |= effects_of(sites[k], kernel.roles[k]);
  }
}

void BlockWatch::start(Kernel& kernel, uint64_t block) {
  if (kernel_ == nullptr) {
    for (ByteSet* set : {&written_, &touched_, &all_written_})
      set->resize(kernel.launch->shared_bytes);
  }
  kernel_ = &kernel;
  block_ = block;
  interval_ = racy_intervals_ = 0;
  is_left_alone_ = has_acquired_ = false;
  streams_.resize(kernel.launch->warps());
  for (Stream& stream : streams_) {
    stream.records.clear();
    stream.closed.clear();
    stream.open = {};
    stream.compact_at = kCompactAt;
    stream.has_ended = false;
  }
  races_ = {};
}

void BlockWatch::add(uint32_t warp, std::span<const Record> records) {
  Stream& stream = streams_[warp];
  for (size_t at = 0; at < records.size() && !is_left_alone_;) {
    const size_t slots = trace::slots_of(records[at]);
    if (records[at].shape == trace::kMark) {
      add_mark(stream, records[at]);
    } else if (records[at].shape != trace::kNoLanes) {
      add_access(stream, records.subspan(at, slots));
    }
    at += slots;
  }
}

void BlockWatch::add_mark(Stream& stream, const Record& mark) {
  const Mark kind = trace::mark_kind(mark);
  if (kind == Mark::kWarpEnd) stream.has_ended = true;
  if (kind != Mark::kBarrier && kind != Mark::kArrive) return;
  if ((mark.site & trace::kPartOfWarp) != 0) {
    is_left_alone_ = true;
  } else if (kind == Mark::kBarrier && trace::mark_count(mark) == 0) {
    stream.open.end = stream.records.size();
    stream.closed.push_back(std::exchange(stream.open, {}));
    stream.compact_at = stream.records.size() + kCompactAt;
  } else {
    add_release(stream);
    if (kind == Mark::kBarrier) add_acquire(stream);
  }
}

// What a warp has acquired and then released races with nothing: only the accesses before its first
// acquire are kept, and those behind its last release.
void BlockWatch::add_release(Stream& stream) {
  Interval& open = stream.open;
  if (open.acquires > 0) {
    const bool before = open.last_release < open.after_acquire && open.releases > 0;
    stream.records.resize(open.after_acquire);
    open.releases = before || open.releases == 2 ? 1 : 0;
  } else if (open.releases > 0) {
    stream.records[open.last_release] = kNothing;
    open.releases = 0;
  }
  ++open.releases;
  open.last_release = stream.records.size();
  stream.records.push_back(kRelease);
}

void BlockWatch::add_acquire(Stream& stream) {
  if (stream.open.acquires > 0) return;
  stream.open.acquires = 1;
  stream.records.push_back(kAcquire);
  stream.open.after_acquire = stream.records.size();
}

// Only the first of equal records between two marks: what an interval without end repeats.
void BlockWatch::compact(Stream& stream) {
  std::vector<Record>& records = stream.records;
  const size_t from = stream.closed.empty() ? 0 : stream.closed.back().end;
  std::unordered_set<Record, Hash> seen;
  size_t to = from;
  for (size_t at = from, slots = 0; at < records.size(); at += slots) {
    slots = trace::slots_of(records[at]);
    const bool is_mark = records[at].shape == trace::kMark;
    if (records[at] == kNothing) continue;
    if (is_mark) seen.clear();
    if (slots == 1 && !is_mark && !seen.insert(records[at]).second) continue;
    if (records[at] == kRelease) stream.open.last_release = to;
    if (records[at] == kAcquire) stream.open.after_acquire = to + 1;
    std::copy_n(records.begin() + static_cast<ptrdiff_t>(at), slots,
                records.begin() + static_cast<ptrdiff_t>(to));
    to += slots;
  }
  records.resize(to);
  stream.compact_at = from + std::max(kCompactAt, 2 * (to - from));
}

void BlockWatch::add_access(Stream& stream, std::span<const Record> records) {
  const uint8_t effects = kernel_->effects[records[0].site];
  if (effects == 0) return;
  if ((effects & kReleases) != 0) add_release(stream);
  if ((effects & kChecked) != 0)
    stream.records.insert(stream.records.end(), records.begin(), records.end());
  if ((effects & kAcquires) != 0) add_acquire(stream);
  stream.open.writes_shared |= (effects & kWritesShared) != 0;
  if (stream.records.size() >= stream.compact_at) compact(stream);
}

void BlockWatch::check() {
  const auto has_interval = [](const Stream& s) { return s.has_ended || !s.closed.empty(); };
  const auto has_records = [](const Stream& s) { return !s.records.empty() || !s.closed.empty(); };
  while (!is_left_alone_ && std::all_of(streams_.begin(), streams_.end(), has_interval) &&
         std::any_of(streams_.begin(), streams_.end(), has_records)) {
    check_interval();
    drop_interval();
    ++interval_;
  }
}

void BlockWatch::check_interval() {
  slices_.clear();
  bool writes_shared = false, meets = false, acquires = false;
  for (uint32_t warp = 0; warp < streams_.size(); ++warp) {
    const Interval interval = streams_[warp].first();
    slices_.push_back({warp, {streams_[warp].records.data(), interval.end}, interval});
    writes_shared |= interval.writes_shared;
    acquires |= interval.acquires > 0;
    meets |= interval.acquires > 0 || interval.releases > 0;
  }
  if (writes_shared && racy_intervals_ < kMostRacyIntervals &&
      (may_race(false) || (meets && may_race(true)))) {
    ++racy_intervals_;
    Shadow shadow(Space::kShared, SIZE_MAX);
    for (const Slice& slice : slices_) touch_all(slice, Space::kShared, shadow, races_);
  }
  if (kernel_->global != nullptr) {
    for (const Slice& slice : slices_)
      touch_all(slice, Space::kGlobal, *kernel_->global, *kernel_->global_races);
  }
  has_acquired_ |= acquires;
}

void BlockWatch::drop_interval() {
  for (Stream& stream : streams_) {
    const size_t end = stream.first().end;
    stream.records.erase(stream.records.begin(),
                         stream.records.begin() + static_cast<ptrdiff_t>(end));
    if (stream.closed.empty())
      stream.open = {};
    else
      stream.closed.erase(stream.closed.begin());
    for (Interval& later : stream.closed) later.end -= end;
    for (size_t* at : {&stream.compact_at, &stream.open.after_acquire, &stream.open.last_release})
      *at -= std::min(*at, end);
  }
}

// Of accesses before anything is acquired, or behind all that is released.
bool BlockWatch::may_race(bool at_end) {
  all_written_.clear();
  for (const Slice& slice : slices_) {
    if (!slice.interval.writes_shared) continue;
    collect_writes(slice, at_end);
    if (written_.meets(all_written_)) return true;
    all_written_.add(written_);
  }
  if (all_written_.empty()) return false;
  for (const Slice& slice : slices_) {
    collect_touching(slice, at_end);
    if (touched_.empty()) continue;
    collect_writes(slice, at_end);
    if (touched_.meets(all_written_, written_)) return true;
  }
  return false;
}

template <class F>
void BlockWatch::for_each_shared(const Slice& slice, bool at_end, bool writes, F f) {
  const trace::Site* sites = kernel_->launch->sites->data();
  uint32_t acquires = 0, releases = 0;
  for (size_t at = 0; at < slice.records.size(); at += trace::slots_of(slice.records[at])) {
    const Record& record = slice.records[at];
    if (record.shape == trace::kMark) {
      acquires += record == kAcquire ? 1 : 0;
      releases += record == kRelease ? 1 : 0;
      continue;
    }
    if (at_end ? releases != slice.interval.releases : acquires != 0) continue;
    for (uint32_t i = record.site; i < record.site + sites[record.site].group; ++i) {
      const Role role = kernel_->roles[i];
      if (role == Role::kNone || (role == Role::kWrite) != writes) continue;
      if (sites[i].space == Space::kShared) f(sites[i], record);
    }
  }
}

namespace {

template <class F>
void for_each_lane(const Record& record, const trace::Site& site, F f) {
  const auto addresses = trace::raw_addresses(&record);
  for (size_t lane = 0; lane < trace::kLanes; ++lane) {
    if (record.address >> lane & 1) f(addresses[lane] + static_cast<uint64_t>(site.offset));
  }
}

}  // namespace

void BlockWatch::collect_writes(const Slice& slice, bool at_end) {
  written_.clear();
  for_each_shared(slice, at_end, true, [&](const trace::Site& site, const Record& record) {
    if (record.shape == trace::kRaw) {
      for_each_lane(record, site, [&](uint64_t address) { written_.add(address, site.width); });
      return;
    }
    written_.add(kernel_->footprints.find(*kernel_->launch->shapes, record.shape, site.width),
                 record.address + static_cast<uint64_t>(site.offset));
  });
}

// Most reads meet no write: they are looked at and not kept.
void BlockWatch::collect_touching(const Slice& slice, bool at_end) {
  touched_.clear();
  for_each_shared(slice, at_end, false, [&](const trace::Site& site, const Record& record) {
    if (record.shape == trace::kRaw) {
      for_each_lane(record, site, [&](uint64_t address) { touched_.add(address, site.width); });
      return;
    }
    const Footprint& footprint =
        kernel_->footprints.find(*kernel_->launch->shapes, record.shape, site.width);
    const uint64_t address = record.address + static_cast<uint64_t>(site.offset);
    if (all_written_.meets(footprint, address)) touched_.add(footprint, address);
  });
}

void BlockWatch::touch_all(const Slice& slice, Space space, Shadow& shadow, Tally& tally) {
  uint32_t acquires = 0, releases = 0, position = 0;
  for (size_t at = 0; at < slice.records.size(); at += trace::slots_of(slice.records[at])) {
    acquires += slice.records[at] == kAcquire ? 1 : 0;
    releases += slice.records[at] == kRelease ? 1 : 0;
    if (slice.records[at].shape == trace::kMark) continue;
    for (const trace::Access& access : trace::accesses_of(*kernel_->launch, &slice.records[at])) {
      const auto site = static_cast<uint32_t>(access.site - kernel_->launch->sites->data());
      if (access.site->space != space || kernel_->roles[site] == Role::kNone) continue;
      const bool is_released = releases != slice.interval.releases, has_acquired = acquires != 0;
      Touch touch{.site = site,
                  .block = block_,
                  .interval = interval_,
                  .position = position++,
                  .role = kernel_->roles[site],
                  .has_acquired = has_acquired,
                  .is_released = is_released,
                  .block_has_acquired = has_acquired || has_acquired_};
      for (uint32_t lane = 0; lane < trace::kLanes; ++lane) {
        if (!(access.mask >> lane & 1)) continue;
        touch.thread = slice.warp * 32 + lane;
        const uint64_t first = access.address[lane], end = first + access.site->width;
        for (uint64_t word = first / 4; word < (end + 3) / 4; ++word) {
          const uint64_t from = std::max(first, 4 * word) % 4;
          const uint64_t to = std::min(end, 4 * word + 4) - 4 * word;
          touch.bytes = static_cast<uint8_t>((1u << to) - (1u << from));
          shadow.touch(word, touch, tally);
        }
      }
    }
  }
}

}  // namespace warpledger::race
