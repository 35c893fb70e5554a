// Barriers of a CTA.
#include <fmt/core.h>

#include <algorithm>

#include "warpledger/exec/interpreter/barrier.h"
#include "warpledger/exec/interpreter/converge.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

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

/// Lanes that come to one barrier.
struct Arrival {
  int id = 0;
  uint32_t needed = 0;  // threads; 0: all that are alive
  Lanes lanes = 0;
};

/// Where bar.red has its barrier, behind its result.
size_t first_operand(const Step& step) { return step.spelling().op() == Op::kBarRed ? 1 : 0; }

bool is_counted(const Step& step) {
  const size_t count = first_operand(step) + 1;
  return step.operands.size() > count && step.operands[count].kind != Value::Kind::kNone &&
         (step.spelling().op() != Op::kBarRed || step.operands.size() > count + 1);
}

/// Each lane names its barrier: one arrival for each that some name. Empty after a fault.
std::vector<Arrival> read_arrivals(const Context& context, const Step& step) {
  std::vector<Arrival> all;
  for_each_lane(context.lanes, [&](int lane) {
    const size_t first = first_operand(step);
    const uint64_t id = context.read(step.operands[first], lane);
    const uint64_t needed = is_counted(step) ? context.read(step.operands[first + 1], lane) : 0;
    if (id >= kBarriers || needed % kWarpSize != 0) {
      return context.fault(
          step, lane,
          fmt::format("barrier {} of {} threads: barriers are 0 to 15, counts multiples of 32", id,
                      needed),
          "bad-barrier");
    }
    auto same = std::find_if(all.begin(), all.end(), [&](const Arrival& one) {
      return one.id == static_cast<int>(id) && one.needed == needed;
    });
    if (same == all.end())
      same = all.insert(all.end(), {static_cast<int>(id), static_cast<uint32_t>(needed)});
    same->lanes |= 1u << lane;
  });
  if (context.failed()) all.clear();
  return all;
}

void arrive(const Context& context, const Arrival& arrival, trace::Mark mark) {
  Barrier& barrier = context.cta.barriers[arrival.id];
  barrier.arrived[context.warp.index] |= arrival.lanes;
  barrier.needed = arrival.needed;
  const uint32_t part = context.lanes == context.warp.alive ? 0 : trace::kPartOfWarp;
  context.engine.buffer(context.cta, context.warp)
      .push(
          trace::mark(mark, arrival.needed / kWarpSize, static_cast<uint32_t>(arrival.id) | part));
  ++context.engine.counts(context.cta).barriers;
}

// Lanes whose predicate is false pass by; lanes at different barriers wait by themselves.
void wait_at(Context& context, const std::vector<Arrival>& arrivals) {
  const Fragment before = context.here();
  std::vector<Fragment> sides;
  if (context.lanes != before.lanes)
    sides.push_back({.lanes = before.lanes & ~context.lanes, .pc = before.pc + 1});
  for (const Arrival& arrival : arrivals) {
    sides.push_back({.lanes = arrival.lanes,
                     .pc = before.pc,
                     .wait = Fragment::Wait::kBarrier,
                     .barrier = arrival.id});
  }
  if (sides.size() > 1) return part(context, std::move(sides), before.pc + 1);
  context.here().wait = Fragment::Wait::kBarrier;
  context.here().barrier = arrivals[0].id;
}

// bar.red d, a{, b}, p: the predicate is the last operand.
void add_votes(const Context& context, const Step& step, const Arrival& arrival) {
  Barrier& barrier = context.cta.barriers[arrival.id];
  for_each_lane(arrival.lanes, [&](int lane) {
    barrier.ones += static_cast<uint32_t>(context.read(step.operands.back(), lane) & 1);
  });
  barrier.voters += static_cast<uint32_t>(__builtin_popcount(arrival.lanes));
}

// bar.sync and bar.red.
Outcome run_bar(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  const std::vector<Arrival> arrivals = read_arrivals(context, step);
  if (arrivals.empty()) return Outcome::kStay;
  for (const Arrival& arrival : arrivals) {
    if (step.spelling().op() == Op::kBarRed) add_votes(context, step, arrival);
    arrive(context, arrival, trace::Mark::kBarrier);
  }
  wait_at(context, arrivals);
  release_barriers(context.engine, context.cta);
  return Outcome::kMoved;
}

Outcome run_bar_arrive(Context& context, const Step& step) {
  if (context.lanes == 0) return Outcome::kNext;
  const std::vector<Arrival> arrivals = read_arrivals(context, step);
  if (arrivals.empty()) return Outcome::kStay;
  for (const Arrival& arrival : arrivals) arrive(context, arrival, trace::Mark::kArrive);
  release_barriers(context.engine, context.cta);
  return Outcome::kNext;
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
  return fmt::format("waits at barrier {} for {} threads; {} have arrived and no other thread can",
                     id, barrier.needed != 0 ? barrier.needed : alive, arrivals(cta, barrier));
}

Execute find_barrier(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kBarSync, run_bar},
      {Op::kBarArrive, run_bar_arrive},
      {Op::kBarRed, run_bar},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
