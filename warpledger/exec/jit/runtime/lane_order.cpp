#include "warpledger/exec/jit/runtime/lane_order.h"

#include <algorithm>

namespace warpledger::exec::jit {

void LaneOrder::start(Lanes lanes) {
  *this = {};
  live_ = runs_ = lanes;
}

void LaneOrder::place(Lanes lanes, uint32_t block) {
  for_each_lane(lanes, [&](int lane) { next_[lane] = block; });
}

void LaneOrder::open(Lanes lanes, uint32_t barrier) {
  for_each_lane(lanes, [&](int lane) { waits_for_[at(lane, barrier)] = lanes; });
}

void LaneOrder::leave(Lanes lanes, uint32_t barrier) {
  for (int lane = 0; lane < kWarpSize; ++lane) waits_for_[at(lane, barrier)] &= ~lanes;
}

void LaneOrder::wait(Lanes lanes, uint32_t barrier, uint32_t block) {
  place(lanes, block);
  runs_ &= ~lanes;
  waiting_[barrier] |= lanes;
  for_each_lane(lanes, [&](int lane) {
    waits_at_[lane] = barrier;
    if (barrier == kAllLanes) waits_for_[at(lane, barrier)] = ~Lanes{0};
  });
}

/// Lets the lanes go on that have waited for each other.
void LaneOrder::release() {
  for_each_lane(live_ & ~runs_, [&](int lane) {
    if ((runs_ >> lane & 1) != 0) return;  // let go with another one
    const uint32_t barrier = waits_at_[lane];
    const Lanes needed = (waits_for_[at(lane, barrier)] | Lanes{1} << lane) & live_;
    if ((needed & ~waiting_[barrier]) != 0) return;
    waiting_[barrier] &= ~needed;
    runs_ |= needed;
  });
}

std::optional<LaneOrder::Turn> LaneOrder::next() {
  release();
  Turn turn{.block = UINT32_MAX, .lowest = UINT32_MAX};
  for_each_lane(runs_ & live_, [&](int lane) { turn.block = std::min(turn.block, next_[lane]); });
  for_each_lane(runs_ & live_, [&](int lane) {
    if (next_[lane] == turn.block)
      turn.lanes |= Lanes{1} << lane;
    else
      turn.lowest = std::min(turn.lowest, next_[lane]);
  });
  if (turn.lanes == 0) return {};
  return turn;
}

}  // namespace warpledger::exec::jit
