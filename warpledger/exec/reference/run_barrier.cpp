// Barriers of a CTA and of a warp.
#include <fmt/format.h>

#include "warpledger/exec/reference/barrier.h"
#include "warpledger/exec/reference/converge.h"
#include "warpledger/exec/reference/engine.h"
#include "warpledger/exec/reference/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;

// Threads that have come. A warp all of whose living lanes are there counts as a whole warp: counts
// are multiples of the warp size also where the block is not, and lanes that ended are not waited
// for.
uint32_t arrivals(const Cta& cta, const Barrier& barrier) {
  uint32_t threads = 0;
  for (size_t i = 0; i < cta.warps.size(); ++i) {
    const Lanes arrived = barrier.arrived[i];
    const bool whole = arrived != 0 && (cta.warps[i].alive & ~arrived) == 0;
    threads += whole ? kWarpSize : static_cast<uint32_t>(__builtin_popcount(arrived));
  }
  return threads;
}

bool is_complete(const Cta& cta, const Barrier& barrier) {
  if (barrier.needed != 0) return arrivals(cta, barrier) >= barrier.needed;
  bool any = false;
  for (size_t i = 0; i < cta.warps.size(); ++i) {
    if ((cta.warps[i].alive & ~barrier.arrived[i]) != 0) return false;
    any |= barrier.arrived[i] != 0;
  }
  return any;
}

uint64_t reduced(const Step& step, const Barrier& barrier) {
  if (step.variant->has(Modifier::kPopc)) return barrier.ones;
  return step.variant->has(Modifier::kAnd) ? (barrier.ones == barrier.voters ? 1 : 0)
                                           : (barrier.ones != 0 ? 1 : 0);
}

void let_go(Engine& engine, Cta& cta, int id) {
  Barrier& barrier = cta.barriers[id];
  ++cta.events;
  for (Warp& warp : cta.warps) {
    for (uint32_t i = 0; i < warp.fragments.size(); ++i) {
      Fragment& fragment = warp.fragments[i];
      if (fragment.wait != Fragment::Wait::kBarrier || fragment.barrier != id) continue;
      const Context context{engine, cta, warp, i, fragment.activation, fragment.lanes};
      const Step& step = context.frame().code->steps[fragment.pc];
      if (step.spelling().op() == Op::kBarRed) {
        for_each_lane(fragment.lanes, [&](int lane) {
          context.write(step.operands[0], lane, reduced(step, barrier));
        });
      }
      fragment.wait = Fragment::Wait::kReady;
      ++fragment.pc;
    }
  }
  barrier.arrived.assign(cta.warps.size(), 0);
  barrier.needed = barrier.ones = barrier.voters = 0;
}

// Lanes whose predicate is false pass by: the fragment splits, and the others come here again.
bool splits_at_guard(Context& context) {
  const Fragment& fragment = context.here();
  if (context.lanes == fragment.lanes) return false;
  PerLane<uint32_t> targets;
  targets.fill(fragment.pc + 1);
  for_each_lane(context.lanes, [&](int lane) { targets[static_cast<size_t>(lane)] = fragment.pc; });
  diverge(context, fragment.lanes, targets, fragment.pc + 1);
  return true;
}

struct Arrival {
  int id = 0;
  uint32_t needed = 0;
};

std::optional<Arrival> read_arrival(const Context& context, const Step& step, size_t first) {
  const int lane = __builtin_ctz(context.lanes);
  const auto id = context.read(step.operands[first], lane);
  const bool counted = step.operands.size() > first + 1 &&
                       step.operands[first + 1].kind != Value::Kind::kNone &&
                       (step.spelling().op() != Op::kBarRed || step.operands.size() > first + 2);
  const auto needed = counted ? context.read(step.operands[first + 1], lane) : 0;
  if (id >= kBarriers || needed % kWarpSize != 0) {
    context.fault(
        step, lane,
        fmt::format("barrier {} of {} threads: barriers are 0 to 15, counts multiples of 32", id,
                    needed),
        "bad-barrier");
    return {};
  }
  return Arrival{static_cast<int>(id), static_cast<uint32_t>(needed)};
}

void arrive(Context& context, const Arrival& arrival, trace::Mark mark) {
  Barrier& barrier = context.cta.barriers[arrival.id];
  barrier.arrived[context.warp.index] |= context.lanes;
  barrier.needed = arrival.needed;
  const uint32_t part = context.lanes == context.warp.alive ? 0 : trace::kPartOfWarp;
  context.engine.buffer(context.cta, context.warp)
      .push(
          trace::mark(mark, arrival.needed / kWarpSize, static_cast<uint32_t>(arrival.id) | part));
  ++context.engine.counts(context.cta).barriers;
}

Outcome wait_at(Context& context, const Arrival& arrival) {
  arrive(context, arrival, trace::Mark::kBarrier);
  context.here().wait = Fragment::Wait::kBarrier;
  context.here().barrier = arrival.id;
  release_barriers(context.engine, context.cta);
  return Outcome::kStay;
}

Outcome run_bar_sync(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (splits_at_guard(context)) return Outcome::kMoved;
  const auto arrival = read_arrival(context, step, 0);
  return arrival ? wait_at(context, *arrival) : Outcome::kStay;
}

Outcome run_bar_arrive(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  const auto arrival = read_arrival(context, step, 0);
  if (!arrival) return Outcome::kStay;
  arrive(context, *arrival, trace::Mark::kArrive);
  release_barriers(context.engine, context.cta);
  return Outcome::kNext;
}

// bar.red d, a{, b}, p: the predicate is the last operand.
Outcome run_bar_red(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  if (splits_at_guard(context)) return Outcome::kMoved;
  auto arrival = read_arrival(context, step, 1);
  if (!arrival) return Outcome::kStay;
  if (step.operands.size() < 4) arrival->needed = 0;
  Barrier& barrier = context.cta.barriers[arrival->id];
  for_each_lane(context.lanes, [&](int lane) {
    barrier.ones += static_cast<uint32_t>(context.read(step.operands.back(), lane) & 1);
  });
  barrier.voters += static_cast<uint32_t>(__builtin_popcount(context.lanes));
  return wait_at(context, *arrival);
}

Outcome run_warp_sync(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  const auto wanted =
      static_cast<Lanes>(context.read(step.operands[0], __builtin_ctz(context.lanes)));
  return context.gather(step, wanted, false) ? Outcome::kNext : Outcome::kStay;
}

}  // namespace

void release_barriers(Engine& engine, Cta& cta) {
  for (int id = 0; id < kBarriers; ++id) {
    if (is_complete(cta, cta.barriers[id])) let_go(engine, cta, id);
  }
}

std::string waiting_text(const Cta& cta, int id) {
  const Barrier& barrier = cta.barriers[id];
  uint32_t alive = 0;
  for (const Warp& warp : cta.warps) alive += static_cast<uint32_t>(__builtin_popcount(warp.alive));
  return fmt::format("waits at barrier {} for {} threads, of which {} have come and no other can",
                     id, barrier.needed != 0 ? barrier.needed : alive, arrivals(cta, barrier));
}

Execute find_barrier(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kBarSync, run_bar_sync},
      {Op::kBarArrive, run_bar_arrive},
      {Op::kBarRed, run_bar_red},
      {Op::kBarWarpSync, run_warp_sync},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
