// Lanes that go on by address: what compiled code tells their order, and asks it.
#include "warpledger/exec/jit/runtime/runtime.h"

namespace warpledger::exec::jit {

void open_convergence(WarpContext* c, uint32_t lanes, uint32_t barrier) {
  running(c).order.open(lanes, barrier);
}

void leave_convergence(WarpContext* c, uint32_t lanes, uint32_t barrier) {
  running(c).order.leave(lanes, barrier);
}

void name_lanes(WarpContext* c, uint32_t lanes) {
  for_each_lane(
      lanes, [&](int lane) { running(c).order.name(lane, static_cast<Lanes>(c->address[lane])); });
}

void place_lanes(WarpContext* c, uint32_t lanes, uint32_t block) {
  running(c).order.place(lanes, block);
}

uint32_t next_lanes(WarpContext* c, uint32_t pc) {
  RunningWarp& warp = running(c);
  const auto turn = warp.order.next();
  if (turn) {
    c->chosen = turn->lanes;
    c->lowest = turn->lowest;
    return turn->block;
  }
  const Lanes waiting = warp.order.live();
  c->chosen = 0;
  if (waiting == 0) return UINT32_MAX;
  context_at(warp, pc, waiting, waiting)
      .fault(step_at(warp, pc), __builtin_ctz(waiting),
             "lanes of a warp wait for others of it that never come", "barrier-deadlock");
  return UINT32_MAX;
}

uint32_t converge(WarpContext* c, uint32_t pc, uint32_t lanes, uint32_t barrier, uint32_t block) {
  RunningWarp& warp = running(c);
  warp.order.wait(lanes, barrier, block);
  // The last ones are counted by the barrier itself.
  if (barrier == kAllLanes && warp.order.lacks(barrier)) ++warp.engine->counts(*warp.cta).barriers;
  return next_lanes(c, pc);
}

}  // namespace warpledger::exec::jit
