#include "warpledger/exec/interpreter/converge.h"

#include <algorithm>

#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/barrier.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/meeting.h"

namespace warpledger::exec::reference {
namespace {

// A fragment that has polled memory so often (a lock, a flag) lets another one run, and lanes that
// wait at a join for it go on without it: lanes that spin on what another lane of their warp must
// still do end this way, as the hardware guarantees since Volta. Other loops keep their lanes
// together, unless they are very long.
constexpr uint64_t kPolls = 256, kTurn = 1'000'000;

void release_if_complete(Warp& warp, uint32_t join) {
  Join& meeting = warp.joins[join];
  if (meeting.arrived == 0 || meeting.arrived != meeting.expected) return;
  warp.fragments.push_back({.lanes = meeting.arrived,
                            .pc = meeting.pc,
                            .activation = meeting.activation,
                            .join = meeting.parent});
  meeting.arrived = meeting.expected = 0;
}

void arrive(Warp& warp, uint32_t join, Lanes lanes) {
  warp.joins[join].arrived |= lanes;
  release_if_complete(warp, join);
}

// The joins from `join` up to, not including, `end` no longer wait for the lanes.
void forget(Warp& warp, uint32_t join, uint32_t end, Lanes lanes) {
  for (; join != end && join != kNone; join = warp.joins[join].parent) {
    warp.joins[join].expected &= ~lanes;
    release_if_complete(warp, join);
  }
}

void remove_lanes(Context& context, Lanes lanes) {
  Fragment& fragment = context.here();
  fragment.lanes &= ~lanes;
  if (fragment.lanes == 0) fragment.pc = kNone;  // swept by settle()
}

// Joins, activations and fragments that nothing refers to any more are dropped from the end.
void sweep(Warp& warp) {
  std::erase_if(warp.fragments, [](const Fragment& fragment) { return fragment.lanes == 0; });
  while (!warp.joins.empty() && warp.joins.back().expected == 0) {
    const auto last = static_cast<uint32_t>(warp.joins.size() - 1);
    const bool used =
        std::any_of(warp.fragments.begin(), warp.fragments.end(),
                    [last](const Fragment& fragment) { return fragment.join == last; });
    if (used) break;
    warp.joins.pop_back();
  }
  uint32_t highest = 0;
  for (const Fragment& fragment : warp.fragments) highest = std::max(highest, fragment.activation);
  for (const Join& join : warp.joins) highest = std::max(highest, join.activation);
  if (warp.activations.size() > highest + 1) warp.activations.resize(highest + 1);
}

}  // namespace

void part(Context& context, std::vector<Fragment> sides, uint32_t reconverge) {
  Warp& warp = context.warp;
  const Fragment before = context.here();
  uint32_t join = before.join;
  const bool reuse = join != kNone && warp.joins[join].pc == reconverge &&
                     warp.joins[join].activation == before.activation;
  if (reconverge < context.frame().code->steps.size() && !reuse) {
    join = static_cast<uint32_t>(warp.joins.size());
    warp.joins.push_back({.activation = before.activation,
                          .pc = reconverge,
                          .parent = before.join,
                          .expected = before.lanes});
  }
  for (Fragment& side : sides) side.activation = before.activation, side.join = join;
  warp.fragments.erase(warp.fragments.begin() + context.fragment);
  warp.fragments.insert(warp.fragments.end(), sides.begin(), sides.end());
}

void diverge(Context& context, const PerLane<uint32_t>& targets, uint32_t reconverge) {
  std::vector<Fragment> sides;
  for_each_lane(context.here().lanes, [&](int lane) {
    const uint32_t target = targets[static_cast<size_t>(lane)];
    auto side = std::find_if(sides.begin(), sides.end(),
                             [target](const Fragment& f) { return f.pc == target; });
    if (side == sides.end()) side = sides.insert(sides.end(), {.pc = target});
    side->lanes |= 1u << lane;
  });
  // The last one runs first.
  std::sort(sides.begin(), sides.end(),
            [](const Fragment& a, const Fragment& b) { return a.pc > b.pc; });
  part(context, std::move(sides), reconverge);
}

void enter(Context& context, Lanes lanes, uint32_t activation) {
  Warp& warp = context.warp;
  const Fragment before = context.here();
  const auto join = static_cast<uint32_t>(warp.joins.size());
  warp.joins.push_back({.activation = before.activation,
                        .pc = before.pc + 1,
                        .parent = before.join,
                        .expected = before.lanes,
                        .arrived = before.lanes & ~lanes});
  warp.activations[activation].return_join = join;
  warp.fragments[context.fragment] = {
      .lanes = lanes, .pc = 0, .activation = activation, .join = join};
}

void leave(Context& context, Lanes lanes) {
  const uint32_t join = context.frame().return_join;
  if (join == kNone) return terminate(context, lanes);
  const uint32_t inner = context.here().join;
  remove_lanes(context, lanes);
  forget(context.warp, inner, join, lanes);
  arrive(context.warp, join, lanes);
}

void terminate(Context& context, Lanes lanes) {
  const uint32_t inner = context.here().join;
  remove_lanes(context, lanes);
  context.warp.alive &= ~lanes;
  forget(context.warp, inner, kNone, lanes);
  // Lanes that waited for these continue or, at a matrix instruction, check again.
  release_meetings(context.engine, context.cta, context.warp);
  for (Fragment& fragment : context.warp.fragments) {
    const Code& code = *context.warp.activations[fragment.activation].code;
    if (fragment.wait == Fragment::Wait::kLanes && code.steps[fragment.pc].run != meet)
      fragment.wait = Fragment::Wait::kReady;
  }
  release_barriers(context.engine, context.cta);
  release_cluster(context.engine, context.cta);
}

void settle(Warp& warp) {
  for (size_t i = 0; i < warp.fragments.size(); ++i) {
    const Fragment fragment = warp.fragments[i];
    if (fragment.lanes == 0 || fragment.join == kNone || fragment.wait != Fragment::Wait::kReady)
      continue;
    const Join& join = warp.joins[fragment.join];
    if (fragment.activation != join.activation || fragment.pc != join.pc) continue;
    warp.fragments[i].lanes = 0;
    arrive(warp, fragment.join, fragment.lanes);
  }
  sweep(warp);
}

bool release_waiting(Warp& warp) {
  for (size_t i = warp.joins.size(); i-- > 0;) {
    Join& join = warp.joins[i];
    if (join.arrived == 0) continue;
    warp.fragments.push_back(
        {.lanes = join.arrived, .pc = join.pc, .activation = join.activation, .join = join.parent});
    join.expected &= ~join.arrived;
    join.arrived = 0;
    return true;
  }
  return false;
}

uint32_t choose_fragment(Warp& warp) {
  const auto ready = [](const Fragment& f) { return f.wait == Fragment::Wait::kReady; };
  if (++warp.turn >= kTurn || warp.polls >= kPolls) {
    warp.turn = warp.polls = 0;
    if (std::count_if(warp.fragments.begin(), warp.fragments.end(), ready) > 1) {
      std::rotate(warp.fragments.begin(), warp.fragments.end() - 1, warp.fragments.end());
    } else {
      release_waiting(warp);
    }
  }
  // Nobody outside the warp can help lanes that all wait for each other: those at a join go on.
  const auto waits = [](const Fragment& f) { return f.wait == Fragment::Wait::kLanes; };
  if (std::all_of(warp.fragments.begin(), warp.fragments.end(), waits)) release_waiting(warp);
  for (size_t i = warp.fragments.size(); i-- > 0;) {
    if (ready(warp.fragments[i])) return static_cast<uint32_t>(i);
  }
  return kNone;
}

bool Context::gather(Lanes wanted) {
  wanted &= warp.alive;
  if ((lanes & wanted) == wanted) return true;
  Fragment& mine = here();
  mine.wait = Fragment::Wait::kLanes;
  mine.wanted = wanted;
  mine.present = lanes;
  Lanes present = lanes;
  const auto meets = [&](const Fragment& other) {
    return other.wait == Fragment::Wait::kLanes && other.wanted == wanted && other.pc == mine.pc &&
           other.activation == mine.activation;
  };
  for (const Fragment& other : warp.fragments) {
    if (meets(other)) present |= other.present;
  }
  if ((present & wanted) != wanted) return false;
  for (Fragment& other : warp.fragments) {
    if (!meets(other)) continue;
    other.wait = Fragment::Wait::kReady;
    if (&other != &mine) ++other.pc;
  }
  lanes = present;
  return true;
}

}  // namespace warpledger::exec::reference
