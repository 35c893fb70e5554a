#include "warpledger/memory/request_counter.h"

#include <algorithm>

namespace warpledger::memory {
namespace {

constexpr uint64_t kAnyL1 = 16 * 1024;  // its hits are not asked for

SiteCounters difference(const SiteCounters& now, const SiteCounters& before) {
  SiteCounters change;
  each_request_counter([](uint64_t& by, uint64_t to, uint64_t from) { by = to - from; },
                       change.request, now.request, before.request);
  change.tag_wavefronts = now.tag_wavefronts - before.tag_wavefronts;
  return change;
}

}  // namespace

void RequestCounter::begin(const trace::Launch& launch) {
  group_.emplace(launch, kAnyL1, launch.warps(), 0, 1);
  before_.assign(launch.sites->size(), {});
  batches_.assign(launch.warps(), 0);
  accesses_ = 0;
}

void RequestCounter::drain(uint32_t warp, trace::Buffer& buffer) {
  const std::span<const trace::Record> held = buffer.held();
  for (size_t at = 0; at < held.size(); at += slots_of(held[at])) count(warp, &held[at]);
  buffer.clear();
  group_->settle(0, warp);
  group_->queue(0).clear();
}

void RequestCounter::count(uint32_t warp, const trace::Record* head) {
  if (head->shape == trace::kMark) {
    const trace::Mark kind = mark_kind(*head);
    batches_[warp] +=
        kind == trace::Mark::kUse || kind == trace::Mark::kBarrier || kind == trace::Mark::kWarpEnd;
    return;
  }
  ++accesses_;
  group_->access(0, warp, head);
}

CtaRequests RequestCounter::take() {
  CtaRequests taken{.sites = std::vector<SiteCounters>(before_.size()), .accesses = accesses_};
  taken.batches = batches_.empty() ? 0 : *std::max_element(batches_.begin(), batches_.end());
  std::vector<SiteCounters> now(before_.size());
  group_->add_to(now);
  for (size_t i = 0; i < now.size(); ++i) taken.sites[i] = difference(now[i], before_[i]);
  before_ = std::move(now);
  std::fill(batches_.begin(), batches_.end(), 0);
  accesses_ = 0;
  return taken;
}

}  // namespace warpledger::memory
