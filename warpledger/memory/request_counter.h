// What follows from addresses alone, of CTAs that are run one by one: the exact units without
// caches, L2 and order. For counting a few CTAs; memory/replay.h is for all of it.
#pragma once

#include <optional>

#include "warpledger/memory/sm_group.h"

namespace warpledger::memory {

/// What one CTA asked for.
struct CtaRequests {
  std::vector<SiteCounters> sites = {};  // exact fields only; the others are 0
  uint64_t accesses = 0;                 // records
  uint64_t batches = 0;                  // of its longest warp (trace.h)
};

class RequestCounter : public trace::Sink {
 public:
  void begin(const trace::Launch& launch) override;
  void drain(uint32_t warp, trace::Buffer& buffer) override;
  /// What was drained since the last call.
  [[nodiscard]] CtaRequests take();

 private:
  void count(uint32_t warp, const trace::Record* head);

  std::optional<SmGroup> group_;
  std::vector<SiteCounters> before_;  // as of the last take()
  std::vector<uint64_t> batches_;     // by warp
  uint64_t accesses_ = 0;
};

}  // namespace warpledger::memory
