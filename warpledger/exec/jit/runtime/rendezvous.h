// Barriers of a block that only whole warps and the whole block take part in: a count each, instead
// of the interpreter's lists of lanes. A kernel one of whose barriers is anything else goes by the
// interpreter's.
#pragma once

#include <cstdint>

#include "warpledger/exec/interpreter/state.h"

namespace warpledger::exec::jit {

class Rendezvous {
 public:
  void start(uint32_t warps) { *this = {}, living_ = warps; }

  /// One more warp comes to barrier `id`. True when it was the last: the others may go on, as it
  /// does.
  bool come(uint32_t id) {
    if (++came_[id] < living_) return false;
    let_go(id);
    return true;
  }
  /// A warp that is at none of them has ended.
  void end_warp() {
    --living_;
    for (uint32_t id = 0; id < reference::kBarriers; ++id) {
      if (came_[id] != 0 && came_[id] == living_) let_go(id);
    }
  }
  /// Changes when the barrier lets go.
  [[nodiscard]] const uint32_t& turn(uint32_t id) const { return turn_[id]; }

 private:
  void let_go(uint32_t id) {
    came_[id] = 0;
    ++turn_[id];
  }
  uint32_t living_ = 0;
  uint32_t came_[reference::kBarriers] = {};
  uint32_t turn_[reference::kBarriers] = {};
};

}  // namespace warpledger::exec::jit
