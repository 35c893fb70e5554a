// What SMs do by themselves: coalescer, banks, L1, store combiner, up to the queue of requests for
// the L2. The SMs of a group are served by one thread at a time and share its patterns and
// counters; nothing in here depends on another group, and sums do not depend on how SMs are
// grouped.
#pragma once

#include <algorithm>
#include <vector>

#include "warpledger/memory/l1.h"
#include "warpledger/memory/l2.h"
#include "warpledger/memory/pattern.h"
#include "warpledger/memory/recent_requests.h"
#include "warpledger/memory/store_combiner.h"
#include "warpledger/trace/sink.h"

namespace warpledger::memory {

class SmGroup {
 public:
  /// SMs `first` .. `first` + `count` - 1 of the GPU; their numbers are used in all calls.
  SmGroup(const trace::Launch& launch, uint64_t l1_bytes, uint32_t warps_per_sm, uint32_t first,
          uint32_t count);

  [[nodiscard]] uint32_t first() const { return first_; }
  [[nodiscard]] uint32_t end() const { return first_ + static_cast<uint32_t>(sms_.size()); }

  /// The accesses of the record at `head`, made by resident warp `warp` of `sm`. Pre: not a mark.
  void access(uint32_t sm, uint32_t warp, const trace::Record* head) {
    ++accesses_;
    const Request request =
        patterns_.find_recent(PatternTable::key_of(head->site, head->shape), head->address);
    if (!request.pattern) return access_members(sm, warp, head);
    if (request.pattern->action != Action::kNone) perform(sm, warp, head->site, request);
  }

  /// access() of the records from `at` on, up to the first mark or `end`; returns where it stopped.
  const trace::Record* take(uint32_t sm, uint32_t warp, const trace::Record* at,
                            const trace::Record* end);

  /// The warp has reached a use, a barrier or its end.
  void settle(uint32_t sm, uint32_t warp) {
    if (at(sm).waiting) flush(at(sm), warp);
  }
  /// The SM's stores that wait are sent off.
  void settle_all(uint32_t sm);

  /// From now on requests are counted, and no cache sees them. Pre: no store waits.
  void count_only() { counts_only_ = true; }
  /// Records that came so far.
  [[nodiscard]] uint64_t accesses() const { return accesses_; }
  /// What they cost here: one each, and for each of their lines beyond the first.
  [[nodiscard]] uint64_t lookups() const { return accesses_ + more_lines_; }

  /// What the SM sent so far.
  [[nodiscard]] L2Queue& queue(uint32_t sm) { return at(sm).queue; }

  /// Adds what was counted so far.
  void add_to(std::vector<SiteCounters>& sites) const;

 private:
  friend class CacheTracer;  // performs requests line by line
  /// Of a cp.async: its two sides are two records of a warp, one after the other.
  struct Copy {
    uint32_t site = UINT32_MAX;  // of the side that reads
    uint64_t lines = 0;
  };
  struct Sm {
    L1 l1;
    std::vector<StoreCombiner> combiners;  // per resident warp
    std::vector<Copy> copies;              // per resident warp, its last
    uint32_t waiting = 0;                  // combiners that hold something
    L2Queue queue;
  };
  [[nodiscard]] Sm& at(uint32_t sm) { return sms_[sm - first_]; }
  /// Where the local memory of a resident warp begins, in lines; 0 for sites of other spaces.
  [[nodiscard]] uint32_t window_of(uint32_t sm, uint32_t warp, uint32_t site) const;
  void access_members(uint32_t sm, uint32_t warp, const trace::Record* head);
  void access_new(uint32_t sm, uint32_t warp, const trace::Record* head);
  void repeat(Sm& unit, uint32_t warp, const trace::Record& record, uint32_t lines,
              RecentRequests::Details& details);
  void count_lines(const trace::Record& record, uint32_t lines, RecentRequests::Details& details);
  void perform(uint32_t sm, uint32_t warp, uint32_t site, const Request& request);
  void perform_other(uint32_t sm, uint32_t warp, uint32_t site, const Request& request);
  void count(uint32_t sm, uint32_t warp, uint32_t site, const Request& request);
  void load(Sm& sm, uint32_t site, const Request& request);
  /// The line's tag bank.
  uint32_t load_line(Sm& sm, uint32_t site, uint32_t line, uint8_t sectors);
  void ask_l2(Sm& sm, uint32_t site, uint32_t line, uint8_t missing);
  void fetch(Sm& sm, uint32_t site, const Request& request, uint32_t window);
  void store(Sm& sm, uint32_t warp, uint32_t site, const Request& request, uint32_t window);
  void update(Sm& sm, uint32_t site, const Request& request);
  void arrive(const Copy& copy, uint32_t site, const Request& request);
  void bulk(Sm& sm, const trace::Record* head);
  void inside(const trace::Record* head, RequestCounters& cost) const;
  static void flush(Sm& sm, uint32_t warp);

  const trace::Sites& sites_;
  uint32_t warps_per_sm_;
  uint32_t first_;
  bool counts_only_ = false;
  uint64_t accesses_ = 0, more_lines_ = 0;
  PatternTable patterns_;
  RecentRequests recent_;
  std::vector<Sm> sms_;
  std::vector<SiteCounters> counters_;  // what patterns_ does not know
  std::vector<uint64_t> misses_;        // sectors that loads did not find in the L1, by site
};

// Lines are numbered by 32 bits: the upper half holds the local windows of resident warps (512 KiB
// per thread = 2^17 lines), the lower half 256 GiB of device addresses.
inline constexpr uint32_t kLocalHalf = 0x80000000;
inline constexpr uint32_t kLocalLines = 1u << 17;

/// The number by which the caches know a line; `window`: of local memory, else 0.
[[nodiscard]] inline uint32_t cached_line(uint64_t number, uint32_t window) {
  if (window) return window + static_cast<uint32_t>(number % kLocalLines);
  return static_cast<uint32_t>(number % kLocalHalf);
}

inline uint32_t SmGroup::load_line(Sm& sm, uint32_t site, uint32_t line, uint8_t sectors) {
  const uint32_t place = sm.l1.place_of(line);
  const uint8_t hit = sm.l1.read(place, sectors);
  if (hit != sectors) ask_l2(sm, site, line, static_cast<uint8_t>(sectors & ~hit));
  return L1::bank_of(place);
}

inline void SmGroup::load(Sm& sm, uint32_t site, const Request& request) {
  for (const PatternLine& touch : request.pattern->lines) {
    load_line(sm, site, static_cast<uint32_t>(request.line(touch) % kLocalHalf), touch.sectors);
  }
}

inline void SmGroup::perform(uint32_t sm, uint32_t warp, uint32_t site, const Request& request) {
  Sm& unit = at(sm);
  request.pattern->tag_wavefronts += tag_wavefronts(request);
  more_lines_ += std::max<size_t>(1, request.pattern->lines.size()) - 1;
  if (counts_only_) return count(sm, warp, site, request);
  if (request.pattern->action != Action::kLoad) return perform_other(sm, warp, site, request);
  if (unit.waiting) flush(unit, warp);
  load(unit, site, request);
}

/// The lines of a request that was kept.
inline void SmGroup::repeat(Sm& unit, uint32_t warp, const trace::Record& record, uint32_t lines,
                            RecentRequests::Details& details) {
  if (counts_only_) return count_lines(record, lines, details);
  if (unit.waiting) flush(unit, warp);
  const auto base = static_cast<uint32_t>(record.address / kLineBytes);
  const auto load = [&](uint32_t i) {
    const RecentRequests::Line& touch = details.lines[i];
    const uint32_t line = (base + static_cast<uint32_t>(touch.delta)) % kLocalHalf;
    return load_line(unit, record.site, line, static_cast<uint8_t>(touch.sectors));
  };
  const uint32_t bank = load(0);
  if (lines == 1) return;
  more_lines_ += lines - 1;
  if (lines == 2) {
    details.tag_wavefronts += load(1) == bank ? 2 : 1;
    return;
  }
  TagPasses passes;
  passes.add(bank);
  for (uint32_t i = 1; i < lines; ++i) passes.add(load(i));
  details.tag_wavefronts += passes.count();
}

inline const trace::Record* SmGroup::take(uint32_t sm, uint32_t warp, const trace::Record* at,
                                          const trace::Record* end) {
  Sm& unit = this->at(sm);
  uint64_t repeated = 0;
  for (; at != end; ++at) {
    RecentRequests::Entry* const entry = recent_.find(RecentRequests::key_of(*at));
    if (entry == nullptr) {
      if (at->shape == trace::kMark) break;
      access_new(sm, warp, at);
      at += slots_of(*at) - 1;
      continue;
    }
    ++repeated;
    entry->count();
    const uint32_t work = entry->work();
    if (work == RecentRequests::kNothing) continue;
    if (work == RecentRequests::kOther) {
      perform(sm, warp, at->site, recent_.details(entry).request(at->address));
      continue;
    }
    repeat(unit, warp, *at, work, recent_.details(entry));
  }
  accesses_ += repeated;
  return at;
}

}  // namespace warpledger::memory
