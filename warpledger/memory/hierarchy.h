// The hierarchy: SMs (sm_group.h) over one L2 over DRAM. Order is the caller's: access() is told
// who comes next, and drain() or send() whose requests the L2 sees next. The L2 answers nobody:
// what an SM does depends on its own accesses alone, so groups may run ahead of the L2 and of each
// other.
#pragma once

#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/gpu/launch.h"
#include "warpledger/memory/dram.h"
#include "warpledger/memory/l2.h"
#include "warpledger/memory/sm_group.h"
#include "warpledger/trace/sink.h"

namespace warpledger::memory {

struct Config {
  uint32_t sms = 1;
  uint32_t ctas_per_sm = 1;
  uint64_t l1_bytes = 0;
  L2Config l2;
  bool inline_ecc = false;
  RowsConfig rows = {};
};

/// `smem_config_bytes`: the carve-out that the driver chose for the launch (gpu/). The GPU file
/// must know its L1 and L2; what it lacks is named.
[[nodiscard]] Result<Config> configure(const Gpu& gpu, uint32_t ctas_per_sm,
                                       uint64_t smem_config_bytes);

/// Occupancy and carve-out as the driver chooses them for the launch.
[[nodiscard]] Result<Config> configure(const Gpu& gpu, const Launch& launch);

class Hierarchy {
 public:
  /// The SMs are served in `groups` groups, each by one thread at a time.
  Hierarchy(const Config& config, const trace::Launch& launch, uint32_t groups = 1);

  [[nodiscard]] std::vector<SmGroup>& groups() { return groups_; }
  [[nodiscard]] size_t group_index(uint32_t sm) const { return sm / sms_per_group_; }
  [[nodiscard]] SmGroup& group_of(uint32_t sm) { return groups_[group_index(sm)]; }

  /// The accesses of the record at `head`, made by resident warp `warp` of `sm`
  /// (slot within the SM x warps per CTA + warp). Pre: not a mark.
  void access(uint32_t sm, uint32_t warp, const trace::Record* head) {
    group_of(sm).access(sm, warp, head);
  }
  /// The warp has reached a use, a barrier or its end.
  void settle(uint32_t sm, uint32_t warp) { group_of(sm).settle(sm, warp); }

  /// Hands requests first .. last - 1 of the SM's queue to the L2.
  void send(uint32_t sm, const L2Queue& queue, size_t first, size_t last) {
    l2_.process(queue, first, last, sm & 1, counters_);
  }
  /// What send() of this request would find; changes nothing.
  [[nodiscard]] std::vector<Look> look(uint32_t sm, const L2Request& request) const {
    return l2_.look(request, sm & 1);
  }
  /// Records that the SMs have taken so far, and what they cost (sm_group.h).
  [[nodiscard]] uint64_t accesses() const;
  [[nodiscard]] uint64_t lookups() const;
  /// Stores that wait are sent off; of what comes later requests are counted alone (sm_group.h).
  void count_only();

  /// Hands what the SM sent so far to the L2.
  void drain(uint32_t sm);

  /// The L2 holds what it held at the end of `before`; L1s start empty. Before the first request.
  void inherit(Hierarchy&& before) { l2_.inherit(std::move(before.l2_)); }
  /// What the L2 has seen and the SMs have counted by now; dirty data as if the kernel ended here.
  [[nodiscard]] Counters so_far() const;
  /// Ends the kernel. Once.
  [[nodiscard]] Counters finish();

 private:
  uint32_t sms_;
  uint32_t sms_per_group_;
  std::vector<SmGroup> groups_;
  Dram dram_;
  L2 l2_;
  std::vector<SiteCounters> counters_;
};

}  // namespace warpledger::memory
