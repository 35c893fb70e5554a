#include "warpledger/memory/pattern.h"

#include "warpledger/memory/banks.h"

namespace warpledger::memory {
namespace {

using trace::Effect;
using trace::Kind;
using trace::Site;
using trace::Space;

constexpr uint32_t kMaxRowsPerSite = 256;  // 1 KB each; a site with more shapes is irregular

/// Floating-point atomics are sent lane by lane: 32 wavefronts, sectors and L2 requests for a warp
/// that adds to one address (gtx1660s_dot_atomic, rtx3080_dot_atomic: exact).
std::vector<LineTouch> lane_by_lane(const Lanes& lanes) {
  std::vector<LineTouch> touches;
  for (uint32_t rest = lanes.mask; rest; rest &= rest - 1) {
    Lanes one = lanes;
    one.mask = rest & (~rest + 1);
    touches.push_back(lines_of(one).front());
  }
  return touches;
}

Action action_of(const Site& site) {
  using trace::CacheOperator;
  if (effect_of(site) == Effect::kWrite) return Action::kStore;
  if (effect_of(site) == Effect::kUpdate) return Action::kUpdate;
  const bool plain = site.cache == CacheOperator::kDefault || site.cache == CacheOperator::kLastUse;
  const bool is_load = site.kind != Kind::kPrefetch && site.kind != Kind::kAsyncCopy;
  return plain && is_load && site.space == Space::kGlobal ? Action::kLoad : Action::kFetch;
}

void set_lines(Pattern& pattern, const std::vector<LineTouch>& touches, uint64_t base_line) {
  bool partial = false;
  for (const LineTouch& touch : touches) {
    pattern.lines.push_back(
        {static_cast<int32_t>(touch.line - base_line), touch.sectors, touch.partial_sectors()});
    partial |= touch.partial_sectors() != 0;
  }
  if (!partial) return;
  for (const LineTouch& touch : touches) pattern.bytes.push_back(touch.bytes);
}

}  // namespace

bool is_served(const Site& site, const Lanes& lanes) {
  if (!site.serves_window || lanes.mask == 0) return false;
  return lanes.address[static_cast<size_t>(std::countr_zero(lanes.mask))] % site.width != 0;
}

Wavefronts wavefronts_of(const Site& site, const Lanes& lanes) {
  if (site.kind == Kind::kLoadMatrix || site.kind == Kind::kStoreMatrix ||
      site.kind == Kind::kMatrixOperand || site.kind == Kind::kTensorCopy) {
    return matrix_wavefronts(lanes);
  }
  if (site.space != Space::kShared) {
    Wavefronts read = global_wavefronts(lanes);
    if (site.kind == Kind::kAsyncCopy) read.total = read.ideal = 0;  // see arrival_wavefronts
    return read;
  }
  return effect_of(site) == Effect::kUpdate ? shared_atomic_wavefronts(lanes)
                                            : shared_wavefronts(lanes);
}

Pattern pattern_of(const Site& site, const Lanes& lanes, uint64_t base_line) {
  Pattern pattern;
  if (is_served(site, lanes)) return pattern;
  RequestCounters& cost = pattern.cost;
  const bool arrives = site.kind == Kind::kAsyncCopy && site.space == Space::kShared;
  const bool is_part =
      arrives || site.kind == Kind::kMatrixOperand || site.kind == Kind::kTensorCopy;
  cost.instructions = is_part ? 0 : 1;
  cost.requests = lanes.mask != 0;
  cost.lanes = static_cast<uint64_t>(std::popcount(lanes.mask));
  const Wavefronts wavefronts = wavefronts_of(site, lanes);
  cost.data_wavefronts = wavefronts.total;
  cost.ideal_wavefronts = wavefronts.ideal;
  cost.words = wavefronts.words;
  if (site.space == Space::kShared || site.space == Space::kConstant ||
      site.space == Space::kNone) {
    if (arrives && lanes.mask != 0) pattern.action = Action::kArrive;
    return pattern;
  }
  std::vector<LineTouch> touches =
      site.space == Space::kLocal ? local_lines_of(lanes) : lines_of(lanes);
  cost.tags = touches.size();
  cost.theoretical_sectors = sectors_in(touches);
  cost.ideal_sectors = ideal_sectors(lanes, cost.theoretical_sectors);
  if (effect_of(site) == Effect::kUpdate && site.floating) {
    pattern.serial = true;
    touches = lane_by_lane(lanes);
  }
  cost.sectors = sectors_in(touches);
  set_lines(pattern, touches, base_line);
  pattern.can_wait =
      site.space == Space::kLocal ? touches.size() : lines_of(first_phase(lanes)).size();
  if (!pattern.lines.empty()) pattern.action = action_of(site);
  return pattern;
}

Pattern texel_pattern_of(const trace::Record* head, uint64_t base_line) {
  const trace::TexelCount count = trace::TexelCount::of(head->address);
  const std::vector<LineTouch> touches = texel_lines_of(trace::texel_addresses(head), count.width);
  const Lanes asked{.mask = count.mask, .width = count.width};
  Pattern pattern;
  RequestCounters& cost = pattern.cost;
  cost.instructions = count.is_continued ? 0 : 1;
  cost.requests = 1;
  cost.lanes = static_cast<uint64_t>(std::popcount(count.mask)) * count.width;
  cost.tags = touches.size();
  cost.sectors = cost.theoretical_sectors = sectors_in(touches);
  cost.ideal_sectors = ideal_sectors(asked, cost.sectors);
  set_lines(pattern, touches, base_line);
  if (!touches.empty()) pattern.action = Action::kLoad;
  return pattern;
}

PatternTable::PatternTable(const trace::Sites& sites, const trace::ShapeTable& shapes)
    : sites_(sites),
      shapes_(shapes),
      recent_(size_t{1} << kRecentBits, none_.get()),
      row_count_(sites.size()),
      raw_(sites.size()) {}

PatternTable::Row* PatternTable::row_of(uint32_t site, uint32_t shape) {
  const uint64_t key = key_of(site, shape);
  std::unique_ptr<Row>& row = rows_[key];
  if (!row) {
    if (row_count_[site] == kMaxRowsPerSite) {
      rows_.erase(key);
      return nullptr;
    }
    ++row_count_[site];
    row = std::make_unique<Row>();
    row->key = key;
    row->offset = static_cast<uint64_t>(sites_[site].offset);
    if (sites_[site].space == Space::kLocal) {  // one line per 4 bytes of a thread's window
      row->align_mask = 3;
      row->line_shift = 2;
    }
  }
  if (sites_[site].group == 1) recent_[place_of(key)] = row.get();
  return row.get();
}

Lanes PatternTable::lanes_of(uint32_t site, uint32_t shape, uint64_t address) const {
  const trace::Shape& where = shapes_[shape];
  Lanes lanes{where.mask, sites_[site].width, {}};
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes.address[lane] = address + static_cast<uint64_t>(sites_[site].offset + where.offset[lane]);
  }
  return lanes;
}

Pattern* PatternTable::make(Row& row, uint64_t place) {
  const uint32_t site = row.site();
  const Lanes lanes = lanes_of(site, row.shape(), place - row.offset);
  patterns_.emplace_back(
      site, std::make_unique<Pattern>(pattern_of(sites_[site], lanes, place >> row.line_shift)));
  return row.at[place & row.align_mask] = patterns_.back().second.get();
}

Request PatternTable::keep_scratch(uint32_t site, uint64_t base_line, Pattern pattern) {
  forget_scratch();
  scratch_ = std::move(pattern);
  scratch_.executions = 1;
  scratch_site_ = site;
  return {&scratch_, base_line};
}

Request PatternTable::texels(const trace::Record* head) {
  const bool has_any = trace::TexelCount::of(head->address).texels != 0;
  const uint64_t base_line = has_any ? trace::texel_addresses(head).front() >> 7 : 0;
  return keep_scratch(head->site, base_line, texel_pattern_of(head, base_line));
}

Request PatternTable::uncached(uint32_t site, const Lanes& lanes) {
  const uint64_t first =
      lanes.mask ? lanes.address[static_cast<size_t>(std::countr_zero(lanes.mask))] : 0;
  const uint64_t base_line = first >> (sites_[site].space == Space::kLocal ? 2 : 7);
  return keep_scratch(site, base_line, pattern_of(sites_[site], lanes, base_line));
}

namespace {

void add(SiteCounters& site, const Pattern& pattern) {
  add_executions(pattern, pattern.executions, pattern.tag_wavefronts, site);
}

}  // namespace

void add_executions(const Pattern& pattern, uint64_t executions, uint64_t tag_wavefronts,
                    SiteCounters& site) {
  each_request_counter([executions](uint64_t& sum, uint64_t one) { sum += executions * one; },
                       site.request, pattern.cost);
  site.tag_wavefronts += tag_wavefronts;
}

void PatternTable::forget_scratch() {
  if (scratch_.executions) add(raw_[scratch_site_], scratch_);
  scratch_.executions = 0;
}

void PatternTable::add_to(std::vector<SiteCounters>& sites) const {
  if (scratch_.executions) add(sites[scratch_site_], scratch_);
  for (const auto& [site, pattern] : patterns_) add(sites[site], *pattern);
  for (size_t site = 0; site < raw_.size(); ++site) sites[site] += raw_[site];
}

}  // namespace warpledger::memory
