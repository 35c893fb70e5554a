#include "warpledger/memory/sm_group.h"

#include <algorithm>
#include <utility>

#include "warpledger/base/units.h"

namespace warpledger::memory {
namespace {

using trace::CacheOperator;
using trace::Effect;
using trace::Kind;
using trace::Record;
using trace::Site;
using trace::Space;

uint32_t line_at(const Request& request, const PatternLine& touch, uint32_t window) {
  return cached_line(request.line(touch), window);
}

L1::Allocate allocation(CacheOperator cache) {
  switch (cache) {
    case CacheOperator::kStream:
      return L1::Allocate::kEvictFirst;
    case CacheOperator::kNoAllocate:
      return L1::Allocate::kNever;
    default:
      return L1::Allocate::kNormal;
  }
}

bool passes_l1(const Site& site) {
  return site.cache == CacheOperator::kGlobal || site.cache == CacheOperator::kVolatile ||
         site.kind == Kind::kPrefetch;
}

L2Operation operation_of(Effect effect) {
  switch (effect) {
    case Effect::kRead:
      return L2Operation::kRead;
    case Effect::kWrite:
      return L2Operation::kWrite;
    case Effect::kUpdate:
      return L2Operation::kAtomic;
  }
  return L2Operation::kRead;
}

}  // namespace

SmGroup::SmGroup(const trace::Launch& launch, uint64_t l1_bytes, uint32_t warps_per_sm,
                 uint32_t first, uint32_t count)
    : sites_(*launch.sites),
      warps_per_sm_(warps_per_sm),
      first_(first),
      patterns_(sites_, *launch.shapes),
      counters_(sites_.size()),
      misses_(sites_.size()) {
  for (uint32_t i = 0; i < count; ++i) {
    sms_.push_back({L1(l1_bytes),
                    std::vector<StoreCombiner>(warps_per_sm),
                    std::vector<Copy>(warps_per_sm),
                    0,
                    {}});
  }
}

uint32_t SmGroup::window_of(uint32_t sm, uint32_t warp, uint32_t site) const {
  if (sites_[site].space != Space::kLocal) return 0;
  return kLocalHalf + (sm * warps_per_sm_ + warp) * kLocalLines;
}

/// As access(), and keeps the request where it is one that comes again.
void SmGroup::access_new(uint32_t sm, uint32_t warp, const Record* head) {
  ++accesses_;
  const Request request =
      patterns_.find_recent(PatternTable::key_of(head->site, head->shape), head->address);
  if (!request.pattern) return access_members(sm, warp, head);
  recent_.keep(*head, sites_[head->site], request);
  if (request.pattern->action != Action::kNone) perform(sm, warp, head->site, request);
}

void SmGroup::access_members(uint32_t sm, uint32_t warp, const Record* head) {
  const uint32_t last = head->site + sites_[head->site].group;
  for (uint32_t site = head->site; site < last; ++site) {
    if (head->shape == trace::kBulk) {
      bulk(at(sm), head);
      continue;
    }
    Request request;
    if (head->shape == trace::kTexels) {
      request = patterns_.texels(head);
    } else if (head->shape < trace::kMaxShapes) {
      request = patterns_.find(site, head->shape, head->address);
    } else {
      Lanes lanes{static_cast<uint32_t>(head->address), sites_[site].width,
                  trace::raw_addresses(head)};
      for (uint64_t& address : lanes.address) address += static_cast<uint64_t>(sites_[site].offset);
      request = patterns_.uncached(site, lanes);
    }
    if (request.pattern->action != Action::kNone) perform(sm, warp, site, request);
  }
}

void SmGroup::perform_other(uint32_t sm, uint32_t warp, uint32_t site, const Request& request) {
  Sm& unit = at(sm);
  const Pattern& pattern = *request.pattern;
  if (pattern.action == Action::kArrive)
    return arrive(std::exchange(unit.copies[warp], {}), site, request);
  const uint32_t window = window_of(sm, warp, site);
  if (pattern.action == Action::kStore) return store(unit, warp, site, request, window);
  if (unit.waiting) flush(unit, warp);
  if (pattern.action == Action::kUpdate) return update(unit, site, request);
  if (sites_[site].kind == Kind::kAsyncCopy) unit.copies[warp] = {site, pattern.lines.size()};
  fetch(unit, site, request, window);
}

/// Of what perform() does, that which follows from addresses alone and is not the pattern's.
void SmGroup::count(uint32_t sm, uint32_t warp, uint32_t site, const Request& request) {
  Copy& copy = at(sm).copies[warp];
  if (request.pattern->action == Action::kArrive)
    return arrive(std::exchange(copy, {}), site, request);
  if (sites_[site].kind == Kind::kAsyncCopy) copy = {site, request.pattern->lines.size()};
}

void SmGroup::ask_l2(Sm& sm, uint32_t site, uint32_t line, uint8_t missing) {
  misses_[site] += sector_count(missing);
  sm.queue.push({line, site, L2Operation::kRead, missing, 0, 0});
}

/// Of what repeat() does, that which follows from addresses alone.
void SmGroup::count_lines(const Record& record, uint32_t lines, RecentRequests::Details& details) {
  if (lines == 1) return;
  more_lines_ += lines - 1;
  details.tag_wavefronts += tag_wavefronts(details.request(record.address));
}

void SmGroup::fetch(Sm& sm, uint32_t site, const Request& request, uint32_t window) {
  const bool pass = passes_l1(sites_[site]);
  const L1::Allocate allocate = allocation(sites_[site].cache);
  for (const PatternLine& touch : request.pattern->lines) {
    const uint32_t line = line_at(request, touch, window);
    const uint8_t hit = pass ? uint8_t{0} : sm.l1.load(line, touch.sectors, allocate);
    const auto miss = static_cast<uint8_t>(touch.sectors & ~hit);
    misses_[site] += sector_count(miss);
    if (miss) sm.queue.push({line, site, L2Operation::kRead, miss, 0, 0});
  }
}

void SmGroup::store(Sm& sm, uint32_t warp, uint32_t site, const Request& request, uint32_t window) {
  const Pattern& pattern = *request.pattern;
  StoreCombiner& combiner = sm.combiners[warp];
  for (size_t i = 0; i < pattern.lines.size(); ++i) {
    const PatternLine& touch = pattern.lines[i];
    const uint32_t line = line_at(request, touch, window);
    const auto whole = static_cast<uint8_t>(touch.sectors & ~touch.partial);
    if (sm.l1.store(line, whole)) counters_[site].l1_hit_sectors += sector_count(touch.sectors);
    const L2Request write{line, site, L2Operation::kWrite, touch.sectors, touch.partial, 0};
    if (!touch.partial) {
      sm.queue.push(write);
    } else if (i >= pattern.can_wait) {
      sm.queue.push(write, pattern.bytes[i]);
    } else if (!combiner.join(line, touch.sectors, pattern.bytes[i])) {
      sm.waiting += combiner.empty() ? 1 : 0;
      combiner.hold(write, pattern.bytes[i]);
    }
  }
}

void SmGroup::update(Sm& sm, uint32_t site, const Request& request) {
  for (const PatternLine& touch : request.pattern->lines) {
    sm.queue.push({line_at(request, touch, 0), site, L2Operation::kAtomic, touch.sectors, 0, 0});
  }
}

/// Nothing was read where all lanes of the copy write zeros.
void SmGroup::arrive(const Copy& copy, uint32_t site, const Request& request) {
  if (copy.site + 1 != site) return;
  const uint64_t banks = request.pattern->cost.data_wavefronts;
  counters_[site].request.data_wavefronts += arrival_wavefronts(banks, copy.lines) - banks;
}

/// Bulk records of shared and tensor memory. The copy engine fills all banks at each pass: tiles
/// begin at multiples of 128 bytes (PTX ISA, cp.async.bulk.tensor), and swizzles permute 16 bytes
/// within 128.
void SmGroup::inside(const Record* head, RequestCounters& cost) const {
  const uint64_t bytes = head[1].address;
  const Site& site = sites_[head->site];
  cost.lanes += bytes / site.width;
  if (site.space != Space::kShared) return;
  const auto passes = static_cast<uint64_t>(ceil_div(static_cast<int64_t>(bytes), int64_t{128}));
  cost.data_wavefronts += passes;
  cost.ideal_wavefronts += passes;
  cost.words += bytes / 4;
}

/// The copy engine reads and writes whole lines past the L1.
void SmGroup::bulk(Sm& sm, const Record* head) {
  const uint64_t first = head->address / kSectorBytes;
  const uint64_t last = (head->address + head[1].address + kSectorBytes - 1) / kSectorBytes;
  RequestCounters& cost = counters_[head->site].request;
  ++cost.requests;
  if (sites_[head->site].space != Space::kGlobal) return inside(head, cost);
  ++cost.instructions;
  const L2Operation operation = operation_of(effect_of(sites_[head->site]));
  cost.theoretical_sectors += last - first;
  cost.ideal_sectors += last - first;
  if (counts_only_) return;
  for (uint64_t sector = first; sector < last;) {
    const uint64_t end = std::min(last, (sector / 4 + 1) * 4);
    const auto mask = static_cast<uint8_t>(((1u << (end - sector)) - 1) << (sector % 4));
    const auto line = static_cast<uint32_t>(sector / 4 % kLocalHalf);
    sm.queue.push({line, head->site, operation, mask, 0, 0});
    sector = end;
  }
}

void SmGroup::flush(Sm& sm, uint32_t warp) {
  if (sm.combiners[warp].empty()) return;
  sm.combiners[warp].flush(sm.queue);
  --sm.waiting;
}

void SmGroup::settle_all(uint32_t sm) {
  for (uint32_t warp = 0; warp < warps_per_sm_; ++warp) settle(sm, warp);
}

void SmGroup::add_to(std::vector<SiteCounters>& sites) const {
  std::vector<SiteCounters> counted = counters_;
  patterns_.add_to(counted);
  recent_.add_to(counted);
  for (size_t site = 0; site < sites.size(); ++site) {
    if (effect_of(sites_[site]) == Effect::kRead) {
      counted[site].l1_hit_sectors = counted[site].request.sectors - misses_[site];
    }
    sites[site] += counted[site];
  }
}

}  // namespace warpledger::memory
