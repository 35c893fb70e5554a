// The CTAs that live on one SM, oldest first: how far each is, and what its warps wait for.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "warpledger/memory/schedule.h"
#include "warpledger/memory/sm_group.h"
#include "warpledger/trace/sink.h"

namespace warpledger::memory {

/// What came of one round of an SM.
struct Round {
  bool tried = false;                    // steps were due
  bool moved = false;                    // and some warp went on
  std::optional<Diagnostic> fault = {};  // of the kernel: its launch is over

  Round& operator+=(Round&& next) {
    tried |= next.tried;
    moved |= next.moved;
    if (!fault) fault = std::move(next.fault);
    return *this;
  }
};

class Residents {
 public:
  /// `slots` CTAs have room; the SM's slots of the producer are first_slot, first_slot + 1, ...
  Residents(uint32_t sm, uint32_t first_slot, uint32_t warps, uint64_t seed)
      : sm_(sm), first_slot_(first_slot), warps_(warps), draw_(seed ^ uint64_t{sm} << 32) {}

  /// A CTA that was started in `slot` joins as the youngest.
  void add(uint32_t slot, double pace, std::span<trace::Buffer> buffers);
  [[nodiscard]] bool empty() const { return ctas_.empty(); }

  /// Each warp takes the batches that are due by the end of the round (Schedule); records go to
  /// `group`: an SmGroup, or a CacheTracer in front of it.
  template <class Group>
  Round play(trace::Producer& producer, const Schedule& schedule, Group& group);

  /// Removes the CTAs that have ended and returns their slots, oldest first.
  const std::vector<uint32_t>& free_ended();
  /// What the last free_ended() returned.
  [[nodiscard]] const std::vector<uint32_t>& freed() const { return freed_; }

 private:
  static constexpr uint32_t kBarriers = 16, kWarps = 32;
  struct Cta {
    uint32_t slot = 0;
    uint32_t place = 0;  // of its first warp among the SM's resident warps
    double pace = 1.0;
    double rate = 1.0;      // batches per round that a warp earns
    uint32_t live = 0;      // warps that have not ended
    uint32_t ready = 0;     // bit per warp: neither ended nor at a barrier
    uint32_t barriers = 0;  // bit per barrier: somebody has arrived
    std::span<trace::Buffer> buffers;
    std::array<uint32_t, kBarriers> waiting{};  // bit per warp
    std::array<uint32_t, kBarriers> arrived{};
    std::array<uint32_t, kBarriers> expected{};
    alignas(16) std::array<double, kWarps> due{};  // rounds: when the warp takes its next batch
  };
  enum class Batch : uint8_t { kWhole, kBlocked, kFault };

  void set_rates(const Schedule& schedule);
  [[nodiscard]] uint32_t due_warps(const Cta& cta) const;
  /// Whether some warp of the CTA went on; `due`: its due_warps().
  template <class Group>
  bool play_cta(trace::Producer& producer, const Schedule& schedule, Group& group, Cta& cta,
                uint32_t due);
  /// A batch of each of `warps`; returns those that were blocked, and adds to `moved`.
  template <class Group>
  uint32_t step(trace::Producer& producer, const Schedule& schedule, Group& group, Cta& cta,
                uint32_t warps, bool& moved);
  /// One batch of the warp; `any`: whether there was an access.
  template <class Group>
  Batch advance(trace::Producer& producer, Group& group, Cta& cta, uint32_t warp, bool& any);
  template <class Group>
  bool take(Group& group, Cta& cta, uint32_t warp, bool& any);
  static bool pass_mark(const trace::Record& record, Cta& cta, uint32_t warp, bool any);
  static void join(Cta& cta, uint32_t warps);
  static void release(Cta& cta);

  uint32_t sm_;
  uint32_t first_slot_;
  uint32_t warps_;
  std::vector<Cta> ctas_;
  bool has_rates_ = false;  // each CTA that of its rank
  double now_ = 0;          // rounds played
  Draw draw_;
  std::vector<uint32_t> freed_;
  std::optional<Diagnostic> fault_;
};

}  // namespace warpledger::memory
