// Replay: keeps as many CTAs alive as the GPU holds, takes their records in the order of a
// Schedule, and sends them through a Hierarchy. The engine runs ahead as it likes; its rhythm does
// not change the result, because a batch is always taken whole.
#pragma once

#include <functional>

#include "warpledger/memory/hierarchy.h"
#include "warpledger/memory/schedule.h"
#include "warpledger/trace/sink.h"

namespace warpledger::memory {

class CacheTracer;

/// CTAs first .. end - 1.
struct Stretch {
  uint64_t first = 0, end = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// The CTAs that a replay starts, in this order. Caches and residents are kept from one stretch to
/// the next, as if the CTAs between them did not exist.
using Itinerary = std::vector<Stretch>;

[[nodiscard]] uint64_t ctas_of(const Itinerary& itinerary);

/// What a replay shows on its way, between epochs.
class View {
 public:
  virtual ~View() = default;
  [[nodiscard]] virtual uint64_t started() const = 0;   // CTAs of the itinerary
  [[nodiscard]] virtual uint64_t rounds() const = 0;    // of each SM
  [[nodiscard]] virtual uint64_t accesses() const = 0;  // records that SMs have taken
  [[nodiscard]] virtual uint64_t lookups() const = 0;   // and what they cost: sm_group.h
  /// Counted so far, DRAM's dirty_left_sectors as if the kernel ended here. Takes a while.
  [[nodiscard]] virtual Counters counters() = 0;
  /// What comes from now on is counted, and no cache sees it: the exact fields of sites go on to
  /// the launch's end, those that order decides stand still.
  virtual void count_only() = 0;
};
using Observer = std::function<void(View&)>;

struct ReplayOptions {
  uint32_t threads = 1;
  Itinerary itinerary = {};  // empty: the whole grid
  Observer observer = {};    // called after each epoch, on the caller's thread
  // A launch that runs just before, in full: the L2 holds what it leaves. None: it is empty.
  trace::Producer* before = nullptr;
  uint32_t epoch_visits = 0;      // rounds of each SM between two calls; 0: as is quickest
  CacheTracer* tracer = nullptr;  // watches one SM; counters are the same with and without it
};

/// Runs the producer's launch to its end. An error is the kernel's. Counters are the same for any
/// number of threads; more than one are used where the producer allows it (Freedom::kParallel).
/// Pre: who leaves CTAs out (itinerary) knows that no other CTA needs them.
[[nodiscard]] Result<Counters> replay(trace::Producer& producer, const Config& config,
                                      const Schedule& schedule, const ReplayOptions& options);
[[nodiscard]] Result<Counters> replay(trace::Producer& producer, const Config& config,
                                      const Schedule& schedule = {}, uint32_t threads = 1);

}  // namespace warpledger::memory
