#include "warpledger/exec/interpreter/meeting.h"

#include <algorithm>
#include <vector>

#include "warpledger/exec/interpreter/converge.h"
#include "warpledger/exec/interpreter/engine.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Op;

/// The member mask is the last operand of them all.
Lanes named_by(const Context& context, const Step& step, int lane) {
  return static_cast<Lanes>(context.read(step.operands.back(), lane));
}

const Step& step_of(const Warp& warp, const Fragment& fragment) {
  return warp.activations[fragment.activation].code->steps[fragment.pc];
}

// The others that wait for lanes are matrix instructions (Context::gather).
bool is_meeting(const Step& step) { return step.run == meet; }

bool waits_to_meet(const Warp& warp, const Fragment& fragment) {
  return fragment.lanes != 0 && fragment.wait == Fragment::Wait::kLanes &&
         is_meeting(step_of(warp, fragment));
}

/// Whether both wait for the same: the same instruction, wherever it stands, with the same mask.
bool meets(const Warp& warp, const Fragment& a, const Fragment& b) {
  return waits_to_meet(warp, b) && a.wanted == b.wanted &&
         step_of(warp, a).variant->spelling == step_of(warp, b).variant->spelling;
}

// Values that are not needed are not computed; bar.warp.sync has none.
bool has_values(const Step& step) {
  return !step.dropped && step.spelling().op() != Op::kBarWarpSync;
}

void bring(const Context& context, const Step& step, Lanes lanes, Exchange& all) {
  all.lanes |= lanes;
  const Op op = step.spelling().op();
  for_each_lane(lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    all.members[at] = named_by(context, step, lane);
    if (op != Op::kElect) all.value[at] = context.read(step.operands[1], lane);
    if (op != Op::kShfl) return;
    all.by[at] = static_cast<uint32_t>(context.read(step.operands[2], lane));
    all.clamp[at] = static_cast<uint32_t>(context.read(step.operands[3], lane));
  });
}

Exchanged answer(const Step& step, Exchange& all) {
  for (Lanes& members : all.members) members &= all.lanes;
  return exchange(*step.variant, all);
}

void take(const Context& context, const Step& step, Lanes lanes, const Exchanged& all) {
  const Value& to = step.operands[0];
  for_each_lane(lanes, [&](int lane) {
    const uint64_t value = all.value[static_cast<size_t>(lane)];
    if (to.kind != Value::Kind::kList) return context.write(to, lane, value);
    const auto parts = context.children(to);
    context.write(parts[0], lane, value);
    context.write(parts[1], lane, (all.predicate >> lane) & 1);
  });
}

/// Of the fragment's lanes that execute the step, those who name a living lane that does not.
Lanes lanes_that_wait(const Context& context, const Step& step) {
  Lanes waiting = 0;
  for_each_lane(context.lanes, [&](int lane) {
    const Lanes away = context.warp.alive & ~context.lanes;
    if ((named_by(context, step, lane) & away) != 0) waiting |= 1u << lane;
  });
  return waiting;
}

void wait_apart(Context& context, const Step& step, Lanes waiting) {
  Fragment& here = context.here();
  std::vector<Fragment> sides;
  if (here.lanes != waiting) sides.push_back({.lanes = here.lanes & ~waiting, .pc = here.pc + 1});
  for_each_lane(waiting, [&](int lane) {
    const Lanes wanted = named_by(context, step, lane);
    auto side = std::find_if(sides.begin(), sides.end(), [&](const Fragment& f) {
      return f.pc == here.pc && f.wanted == wanted;
    });
    if (side == sides.end())
      side = sides.insert(sides.end(),
                          {.pc = here.pc, .wait = Fragment::Wait::kLanes, .wanted = wanted});
    side->lanes |= 1u << lane;
  });
  if (sides.size() > 1) return part(context, std::move(sides), here.pc + 1);
  here.wait = Fragment::Wait::kLanes;
  here.wanted = sides[0].wanted;
}

/// The fragments that wait for the same as the fragment `first`, itself included.
std::vector<uint32_t> parties_of(const Warp& warp, uint32_t first) {
  std::vector<uint32_t> parties;
  for (uint32_t i = 0; i < warp.fragments.size(); ++i) {
    if (meets(warp, warp.fragments[first], warp.fragments[i])) parties.push_back(i);
  }
  return parties;
}

Context context_of(Engine& engine, Cta& cta, Warp& warp, uint32_t fragment) {
  const Fragment& here = warp.fragments[fragment];
  return {engine, cta, warp, fragment, here.activation, here.lanes};
}

// Where lanes of one meeting stand at different instructions, an address-only launch may need the
// values of some and have dropped those of others.
bool lacks_values(const Warp& warp, const std::vector<uint32_t>& parties) {
  const auto has = [&](uint32_t i) { return has_values(step_of(warp, warp.fragments[i])); };
  return std::any_of(parties.begin(), parties.end(), has) &&
         !std::all_of(parties.begin(), parties.end(), has);
}

void exchange_values(Engine& engine, Cta& cta, Warp& warp, const std::vector<uint32_t>& parties) {
  Exchange all;
  for (const uint32_t i : parties) {
    const Fragment& fragment = warp.fragments[i];
    bring(context_of(engine, cta, warp, i), step_of(warp, fragment), fragment.lanes, all);
  }
  const Exchanged answers = answer(step_of(warp, warp.fragments[parties[0]]), all);
  for (const uint32_t i : parties) {
    const Fragment& fragment = warp.fragments[i];
    take(context_of(engine, cta, warp, i), step_of(warp, fragment), fragment.lanes, answers);
  }
}

void finish(Engine& engine, Cta& cta, Warp& warp, const std::vector<uint32_t>& parties) {
  const Fragment& first = warp.fragments[parties[0]];
  const Step& step = step_of(warp, first);
  if (lacks_values(warp, parties)) {
    return context_of(engine, cta, warp, parties[0])
        .fault_for_values(step, __builtin_ctz(first.lanes));
  }
  if (has_values(step)) exchange_values(engine, cta, warp, parties);
  for (const uint32_t i : parties) {
    warp.fragments[i].wait = Fragment::Wait::kReady;
    ++warp.fragments[i].pc;
  }
}

}  // namespace

Outcome meet(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  const Lanes waiting = lanes_that_wait(context, step);
  const Lanes answered = context.lanes & ~waiting;
  if (answered != 0 && has_values(step)) {
    Exchange all;
    bring(context, step, context.lanes, all);
    take(context, step, answered, answer(step, all));
  }
  if (waiting == 0) return Outcome::kNext;
  wait_apart(context, step, waiting);
  release_meetings(context.engine, context.cta, context.warp);
  return Outcome::kMoved;
}

void release_meetings(Engine& engine, Cta& cta, Warp& warp) {
  for (uint32_t i = 0; i < warp.fragments.size(); ++i) {
    if (!waits_to_meet(warp, warp.fragments[i])) continue;
    const std::vector<uint32_t> parties = parties_of(warp, i);
    Lanes come = 0;
    for (const uint32_t party : parties) come |= warp.fragments[party].lanes;
    if ((warp.fragments[i].wanted & warp.alive & ~come) == 0) finish(engine, cta, warp, parties);
  }
}

}  // namespace warpledger::exec::reference
