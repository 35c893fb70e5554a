// Which lanes of a warp run next, where lanes that have parted go on by address
// (analysis/by_address.h): the policy of exec/machine/warp.h, of blocks instead of instructions.
#pragma once

#include <cstdint>
#include <optional>

#include "warpledger/exec/jit/analysis/by_address.h"
#include "warpledger/exec/semantics/warp.h"

namespace warpledger::exec::jit {

class LaneOrder {
 public:
  /// Lanes that run, all of them together.
  void start(Lanes lanes);

  /// They go on at that block, when it is their turn.
  void place(Lanes lanes, uint32_t block);
  /// BSSY: they will wait for each other at the BSYNC of that barrier.
  void open(Lanes lanes, uint32_t barrier);
  /// BREAK: nobody waits for them at that barrier any more.
  void leave(Lanes lanes, uint32_t barrier);
  /// WARPSYNC: whom the lane waits for, at the kNamedLanes that follows.
  void name(int lane, Lanes lanes) { waits_for_[at(lane, reference::kNamedLanes)] = lanes; }
  /// BSYNC: they wait there, and go on at that block.
  void wait(Lanes lanes, uint32_t barrier, uint32_t block);
  void end(Lanes lanes) { live_ &= ~lanes; }

  struct Turn {
    Lanes lanes = 0;
    uint32_t block = 0;   // where they go on
    uint32_t lowest = 0;  // where others could; UINT32_MAX: nowhere
  };
  /// Whose turn it is; nothing where no lane can run.
  [[nodiscard]] std::optional<Turn> next();
  [[nodiscard]] Lanes live() const { return live_; }
  /// Whether lanes are elsewhere than at that barrier.
  [[nodiscard]] bool lacks(uint32_t barrier) const { return (live_ & ~waiting_[barrier]) != 0; }

 private:
  static constexpr uint32_t kBarriers = kAllLanes + 1;
  static size_t at(int lane, uint32_t barrier) {
    return static_cast<size_t>(lane) * kBarriers + barrier;
  }
  void release();

  Lanes live_ = 0, runs_ = 0;
  Lanes waiting_[kBarriers] = {};         // by barrier
  Lanes waits_for_[32 * kBarriers] = {};  // of each lane, by barrier
  uint32_t next_[32] = {}, waits_at_[32] = {};
};

}  // namespace warpledger::exec::jit
