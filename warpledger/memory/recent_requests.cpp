#include "warpledger/memory/recent_requests.h"

#include "warpledger/base/check.h"

namespace warpledger::memory {
namespace {

uint32_t work_of(const Pattern& pattern) {
  if (pattern.action == Action::kNone) return RecentRequests::kNothing;
  const bool is_short = pattern.lines.size() <= RecentRequests::kMostLines;
  return pattern.action == Action::kLoad && is_short ? static_cast<uint32_t>(pattern.lines.size())
                                                     : RecentRequests::kOther;
}

}  // namespace

void RecentRequests::keep(const trace::Record& record, const trace::Site& site,
                          const Request& request) {
  WL_CHECK(record.site < 1u << 25);
  const uint64_t key = key_of(record);
  size_t place = place_of(key);
  if (entries_[place].executions() > entries_[place ^ 1].executions()) place ^= 1;
  give_back(place);
  Details& details = details_[place];
  details = {.pattern = request.pattern, .offset = static_cast<uint64_t>(site.offset)};
  if (site.space == trace::Space::kLocal) details.line_shift = 2;
  entries_[place] = {key, work_of(*request.pattern)};
  if (entries_[place].work() > kMostLines) return;
  const uint64_t from = record.address / kLineBytes;
  for (size_t i = 0; i < request.pattern->lines.size(); ++i) {
    const PatternLine& touch = request.pattern->lines[i];
    details.lines[i] = {static_cast<int32_t>(request.line(touch) - from), touch.sectors};
  }
}

uint64_t RecentRequests::tag_wavefronts(size_t place) const {
  return entries_[place].work() == 1 ? entries_[place].executions()
                                     : details_[place].tag_wavefronts;
}

void RecentRequests::give_back(size_t place) {
  Pattern* const pattern = details_[place].pattern;
  if (pattern == nullptr) return;
  pattern->executions += entries_[place].executions();
  pattern->tag_wavefronts += tag_wavefronts(place);
}

void RecentRequests::add_to(std::vector<SiteCounters>& sites) const {
  for (size_t place = 0; place < entries_.size(); ++place) {
    const Pattern* const pattern = details_[place].pattern;
    if (pattern == nullptr) continue;
    add_executions(*pattern, entries_[place].executions(), tag_wavefronts(place),
                   sites[entries_[place].site()]);
  }
}

}  // namespace warpledger::memory
