// The hierarchy: SMs (coalescer, banks, L1, store combiner) over one L2 over DRAM. The only place
// where units are wired together. Order is the caller's: access() is told who comes next.
#pragma once

#include <vector>

#include "warpledger/base/result.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/gpu/launch.h"
#include "warpledger/memory/dram.h"
#include "warpledger/memory/l1.h"
#include "warpledger/memory/l2.h"
#include "warpledger/memory/pattern.h"
#include "warpledger/memory/store_combiner.h"
#include "warpledger/trace/sink.h"

namespace warpledger::memory {

struct Config {
  uint32_t sms = 1;
  uint32_t ctas_per_sm = 1;
  uint64_t l1_bytes = 0;
  L2Config l2;
  bool inline_ecc = false;
};

/// `smem_config_bytes`: the carve-out that the driver chose for the launch (gpu/). The GPU file
/// must know its L1 and L2; what it lacks is named.
[[nodiscard]] Result<Config> configure(const Gpu& gpu, uint32_t ctas_per_sm,
                                       uint64_t smem_config_bytes);

/// Occupancy and carve-out as the driver chooses them for the launch.
[[nodiscard]] Result<Config> configure(const Gpu& gpu, const Launch& launch);

class Hierarchy {
 public:
  Hierarchy(const Config& config, const trace::Launch& launch);

  /// The accesses of the record at `head`, made by resident warp `warp` of `sm`
  /// (slot within the SM x warps per CTA + warp). Pre: not a mark.
  void access(uint32_t sm, uint32_t warp, const trace::Record* head);

  /// The warp has reached a use, a barrier or its end.
  void settle(uint32_t sm, uint32_t warp);

  /// Hands what the SM sent so far to the L2.
  void drain(uint32_t sm);

  /// Ends the kernel. Once.
  [[nodiscard]] Counters finish();

 private:
  struct Sm {
    L1 l1;
    std::vector<StoreCombiner> combiners;  // per resident warp
    std::vector<L2Request> queue;
  };
  void access_site(Sm& sm, uint32_t warp, uint32_t site, Request request);
  void bulk(Sm& sm, const trace::Record* head);
  void load(Sm& sm, uint32_t site, const Request& request, uint32_t window);
  void store(Sm& sm, uint32_t warp, uint32_t site, const Request& request, uint32_t window);
  void update(Sm& sm, uint32_t site, const Request& request);

  const trace::Launch& launch_;
  const trace::Sites& sites_;
  PatternTable patterns_;
  std::vector<Sm> sms_;
  uint32_t warps_per_sm_;
  Dram dram_;
  L2 l2_;
  std::vector<SiteCounters> counters_;
};

}  // namespace warpledger::memory
