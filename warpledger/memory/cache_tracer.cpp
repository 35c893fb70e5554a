#include "warpledger/memory/cache_tracer.h"

#include <algorithm>

#include "warpledger/base/units.h"

namespace warpledger::memory {

using trace::Record;

void CacheTracer::begin(SmGroup& group, const trace::Launch& launch, const Config& config) {
  group_ = &group;
  warps_ = launch.warps();
  shadow_ = std::make_unique<SmGroup>(launch, config.l1_bytes, config.ctas_per_sm * warps_, sm_, 1);
  cta_at_.assign(config.ctas_per_sm, 0);
}

void CacheTracer::start(uint32_t place, uint64_t cta) {
  cta_at_[place] = cta;
  ++started_;
}

bool CacheTracer::wants(const Record* head) const {
  const uint32_t last = head->site + shadow_->sites_[head->site].group;
  for (uint32_t site = head->site; site < last; ++site) {
    if (site < wanted_.size() && wanted_[site]) return true;
  }
  return false;
}

void CacheTracer::access(uint32_t sm, uint32_t warp, const Record* head) {
  group_->access(sm, warp, head);
  if (!wants(head) || head->shape == trace::kBulk) {
    shadow_->access(sm, warp, head);
    return claim_requests();
  }
  if (head->shape == trace::kTexels)
    return perform(warp, head->site, shadow_->patterns_.texels(head));
  const trace::Sites& sites = shadow_->sites_;
  const uint32_t last = head->site + sites[head->site].group;
  for (uint32_t site = head->site; site < last; ++site) {
    if (head->shape < trace::kMaxShapes) {
      perform(warp, site, shadow_->patterns_.find(site, head->shape, head->address));
      continue;
    }
    Lanes lanes{static_cast<uint32_t>(head->address), sites[site].width,
                trace::raw_addresses(head)};
    for (uint64_t& address : lanes.address) address += static_cast<uint64_t>(sites[site].offset);
    perform(warp, site, shadow_->patterns_.uncached(site, lanes));
  }
}

const Record* CacheTracer::take(uint32_t sm, uint32_t warp, const Record* at, const Record* end) {
  for (; at != end && at->shape != trace::kMark; at += slots_of(*at)) access(sm, warp, at);
  return at;
}

void CacheTracer::settle(uint32_t sm, uint32_t warp) {
  group_->settle(sm, warp);
  shadow_->settle(sm, warp);
  claim_requests();
}

void CacheTracer::perform(uint32_t warp, uint32_t site, const Request& request) {
  if (request.pattern->action == Action::kNone) return;
  for (size_t i = 0; i < request.pattern->lines.size(); ++i) perform_line(warp, site, request, i);
}

/// One line of the request, as a request of its own: the units treat lines one after the other.
void CacheTracer::perform_line(uint32_t warp, uint32_t site, const Request& request, size_t i) {
  const Pattern& all = *request.pattern;
  const PatternLine& touch = all.lines[i];
  Pattern one{.lines = {touch}, .action = all.action, .serial = all.serial};
  if (i < all.bytes.size()) one.bytes = {all.bytes[i]};
  one.can_wait = i < all.can_wait ? 1 : 0;
  const uint64_t number = request.base_line + static_cast<uint64_t>(int64_t{touch.delta});
  const uint32_t line = cached_line(number, shadow_->window_of(sm_, warp, site));
  L1& l1 = shadow_->at(sm_).l1;
  CacheAccess access{.cta = cta_at_[warp / warps_],
                     .warp = warp % warps_,
                     .site = site,
                     .action = all.action,
                     .address = number * kLineBytes,
                     .line = line,
                     .sectors = touch.sectors,
                     .l1 = l1.look(line)};
  shadow_->perform(sm_, warp, site, {&one, request.base_line});
  uint8_t missed = 0;
  for (const L2Request& sent : shadow_->queue(sm_).requests()) {
    if (sent.operation == L2Operation::kRead) missed = sent.sectors;
  }
  const bool is_load = all.action == Action::kLoad || all.action == Action::kFetch;
  const bool went_in = l1.look(line).is_there;
  access.l1_hit = is_load              ? static_cast<uint8_t>(touch.sectors & ~missed)
                  : access.l1.is_there ? touch.sectors
                                       : uint8_t{0};
  access.passes_l1 = all.action == Action::kUpdate || (is_load && !access.l1_hit && !went_in) ||
                     (is_load && (access.l1.valid & missed));
  if (access.passes_l1) access.l1_hit = 0;
  if (site < wanted_.size() && wanted_[site]) keep(std::move(access));
  claim_requests();
}

void CacheTracer::keep(CacheAccess access) {
  if (++seen_ > limit_) return;
  const bool sends = access.action == Action::kStore || access.action == Action::kUpdate ||
                     access.l1_hit != access.sectors;
  if (sends) waiting_.push_back(kept_.size());
  kept_.push_back(std::move(access));
}

/// Gives the shadow's new requests to the look-ups that caused them: the oldest of the same site
/// and line. Stores of a warp that joined one that waits left with it (store_combiner.h).
void CacheTracer::claim_requests() {
  L2Queue& queue = shadow_->queue(sm_);
  for (const L2Request& request : queue.requests()) claim(request, pushed_++);
  queue.clear();
}

void CacheTracer::claim(const L2Request& request, uint64_t number) {
  const auto first = std::find_if(waiting_.begin(), waiting_.end(), [&](size_t i) {
    return kept_[i].site == request.site && kept_[i].line == request.line;
  });
  if (first == waiting_.end()) return;
  const CacheAccess& cause = kept_[*first];
  const auto leaves = [&](size_t i) {
    const CacheAccess& one = kept_[i];
    const bool joined = cause.action == Action::kStore && one.action == Action::kStore &&
                        one.line == cause.line && one.warp == cause.warp && one.cta == cause.cta;
    return &one == &cause || joined;
  };
  for (const size_t i : waiting_) {
    if (leaves(i)) kept_[i].sent = number;
  }
  std::erase_if(waiting_, [&](size_t i) { return kept_[i].sent.has_value(); });
}

void CacheTracer::note_l2(const L2Request& request, std::vector<Look> looks) {
  const uint64_t number = arrived_++;
  const bool is_wanted = request.site < wanted_.size() && wanted_[request.site];
  if (is_wanted && at_l2_.size() <= 2 * limit_) at_l2_.push_back({number, std::move(looks)});
}

std::vector<CacheAccess> CacheTracer::take() {
  for (CacheAccess& access : kept_) {
    if (!access.sent) continue;
    const auto found =
        std::lower_bound(at_l2_.begin(), at_l2_.end(), *access.sent,
                         [](const Sent& one, uint64_t number) { return one.number < number; });
    if (found != at_l2_.end() && found->number == *access.sent) access.l2 = found->looks;
  }
  return std::move(kept_);
}

}  // namespace warpledger::memory
