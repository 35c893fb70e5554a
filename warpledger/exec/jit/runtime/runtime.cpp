#include "warpledger/exec/jit/runtime/runtime.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "warpledger/exec/decode/engine.h"
#include "warpledger/exec/interpreter/async/cluster.h"
#include "warpledger/exec/interpreter/async/warpgroup.h"
#include "warpledger/exec/interpreter/barrier.h"
#include "warpledger/exec/interpreter/context.h"
#include "warpledger/exec/interpreter/deadlock.h"
#include "warpledger/exec/interpreter/register_watch.h"
#include "warpledger/exec/jit/runtime/runtime_memory.h"
#include "warpledger/exec/memory/address.h"

namespace warpledger::exec::jit {

using reference::Context;
using reference::Fragment;
using reference::Step;
using State = RunningWarp::State;

namespace {

// Lanes of a warp that go different ways and wait for each other: fragments, which only the
// interpreter has.
int32_t give_up(const Context& context, const Step& step) {
  context.fault(
      step, __builtin_ctz(std::max(context.lanes, 1u)),
      "lanes of one warp wait for each other in diverged code, which the JIT does not run",
      kNeedsInterpreter, {}, Fallback::kInterpreter);
  return 1;
}

}  // namespace

RunningWarp& running(WarpContext* context) { return *static_cast<RunningWarp*>(context->warp); }

void take_records(RunningWarp& warp) {
  if (warp.records) warp.buffer().set_end(warp.context.record);
}
void give_records(RunningWarp& warp, uint32_t slots) {
  trace::Buffer& buffer = warp.buffer();
  if (!warp.records) buffer.clear();
  buffer.reserve(slots);
  warp.context.record = buffer.end();
  warp.context.limit = buffer.limit();
}

const Step& step_at(const RunningWarp& warp, uint32_t pc) {
  return warp.engine->program().codes[0]->steps[pc];
}

Context context_at(RunningWarp& warp, uint32_t pc, uint32_t mask, uint32_t lanes) {
  Fragment& fragment = warp.warp->fragments[0];
  fragment.lanes = mask;
  fragment.pc = pc;
  fragment.wait = Fragment::Wait::kReady;
  return {*warp.engine, *warp.cta, *warp.warp, 0, 0, lanes};
}

namespace {

// Compiled code of all warps of the block looks there before it writes to shared memory.
void tell_notes(RunningWarp& warp) {
  if (!warp.analysis->notes_writes || warp.analysis->clustered) return;
  const uint32_t notes = warp.cta->use.is_noted() ? 1 : 0;
  if (warp.context.notes == notes) return;
  RunningWarp* one = &warp;
  do {
    one->context.notes = notes;
    one = one->next;
  } while (one != &warp);
}

int32_t execute(WarpContext* c, Context context, uint32_t mask) {
  RunningWarp& warp = running(c);
  const Step& step = step_at(warp, context.here().pc);
  take_records(warp);
  // %clock: what the warp has executed, counted by blocks; it advances from one read to the next.
  const uint64_t executed = warp.executed + static_cast<uint64_t>(kTurnInstructions - c->fuel);
  warp.warp->steps = std::max(warp.warp->steps + 1, executed);
  const uint32_t lanes = context.lanes;
  const auto waits = [&] { return warp.warp->fragments[0].wait; };
  step.run(context, step);
  tell_notes(warp);
  while (!context.failed() && reference::waits_again(waits())) {
    c->acted = 1;
    warp.turn = nullptr;
    while (reference::waits_again(waits())) warp.suspend(State::kWaiting);
    context.lanes = lanes;
    step.run(context, step);
    tell_notes(warp);
  }
  if (context.failed()) return 1;
  const ptx::MemoryKind memory = step.spelling().opcode().memory;
  if (memory != ptx::MemoryKind::kNone && memory != ptx::MemoryKind::kLoad) c->acted = 1;
  if (warp.warp->fragments.size() != 1 || waits() == Fragment::Wait::kLanes)
    return give_up(context, step);
  if (waits() == Fragment::Wait::kBarrier && (lanes != mask || mask != warp.warp->alive))
    return give_up(context, step);
  while (waits() == Fragment::Wait::kBarrier) {
    c->acted = 1;
    warp.suspend(State::kWaiting);
  }
  give_records(warp, warp.room);
  return 0;
}

}  // namespace

int32_t interpret(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes) {
  return execute(c, context_at(running(c), pc, mask, lanes), mask);
}

int32_t interpret_counted(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes) {
  Context context = context_at(running(c), pc, mask, lanes);
  context.counted_by_blocks = true;
  return execute(c, context, mask);
}

namespace {

// A step that may touch registers of a wgmma in flight (analysis/in_flight.h).
int32_t watch_registers(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes) {
  RunningWarp& warp = running(c);
  if (warp.warp->matrix.marks.empty()) return 0;
  const Context context = context_at(warp, pc, mask, lanes);
  return reference::leaves_matrix_work_alone(context, step_at(warp, pc)) ? 0 : 1;
}

void miss_lanes(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes) {
  RunningWarp& warp = running(c);
  give_up(context_at(warp, pc, mask, lanes), step_at(warp, pc));
}

int32_t product(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t lanes) {
  if (lanes != ~0u) return interpret(c, pc, mask, lanes);  // nothing to do, or a fault
  RunningWarp& warp = running(c);
  if (warp.matrices->multiply(*c, pc)) return 0;
  const Step& step = step_at(warp, pc);
  const auto& plan = warp.engine->product(step.spelling());
  context_at(warp, pc, mask, lanes)
      .fault(step, 0, plan ? "a matrix operand has too few registers" : plan.error().message,
             plan ? "bad-matrix-operand" : "unsupported-opcode");
  return 1;
}

// Lets go whoever waits at a barrier that all have reached. Reductions have results to hand out:
// the interpreter does.
void let_go(RunningWarp& last, uint32_t id) {
  const auto waits = [id](const reference::Warp& warp) {
    return !warp.fragments.empty() && warp.fragments[0].wait == Fragment::Wait::kBarrier &&
           warp.fragments[0].barrier == static_cast<int>(id);
  };
  for (const reference::Warp& warp : last.cta->warps) {
    const bool reduces =
        waits(warp) && step_at(last, warp.fragments[0].pc).spelling().op() == ptx::Op::kBarRed;
    if (reduces) return reference::release_barriers(*last.engine, *last.cta);
  }
  for (reference::Warp& warp : last.cta->warps) {
    if (waits(warp)) warp.fragments[0].wait = Fragment::Wait::kReady;
  }
  reference::Barrier& barrier = last.cta->barriers[id];
  std::fill(barrier.arrived.begin(), barrier.arrived.end(), 0);
}

// The next warp of the block that can goes on, without a look at the scheduler. A kernel whose
// warps give way to each other does not leave one behind whose records have to be taken first.
bool pass_to_next(RunningWarp& warp) {
  for (RunningWarp* other = warp.next; other != &warp; other = other->next) {
    if (other->state == State::kFull && warp.in_step) break;
    const bool goes = other->state == State::kReady || other->state == State::kSpinning ||
                      (other->state == State::kWaiting && !other->waits());
    if (!goes) continue;
    other->budget = warp.budget;
    *warp.latest = other->warp->index;
    warp.fiber.pass_to(other->fiber);
    return true;
  }
  return false;
}

// If none can, the scheduler.
void pass_on(RunningWarp& warp) {
  if (!pass_to_next(warp)) warp.fiber.suspend();
}

int32_t meet(RunningWarp& warp, uint32_t pc, uint32_t id) {
  const uint32_t& turn = warp.rendezvous->turn(id);
  const uint32_t turn_then = turn;
  if (warp.rendezvous->come(id)) {
    ++warp.cta->events;
    return 0;
  }
  take_records(warp);
  warp.turn = &turn, warp.turn_then = turn_then;
  warp.barrier = id, warp.barrier_pc = pc;
  warp.state = State::kWaiting;
  while (turn == turn_then) pass_on(warp);
  if (warp.records) give_records(warp, warp.room);
  return 0;
}

// bar.sync of the whole block: the interpreter's barrier, without its search for who may go. The
// compiled code has written its mark.
int32_t barrier(WarpContext* c, uint32_t pc, uint32_t mask, uint32_t id) {
  RunningWarp& warp = running(c);
  if (mask != warp.warp->alive) return give_up(context_at(warp, pc, mask, mask), step_at(warp, pc));
  ++warp.engine->counts(*warp.cta).barriers;
  c->acted = 1;
  if (warp.rendezvous != nullptr) return meet(warp, pc, id);
  take_records(warp);
  reference::Barrier& here = warp.cta->barriers[id];
  here.arrived[warp.warp->index] |= mask;
  here.needed = 0;
  Fragment& fragment = warp.warp->fragments[0];
  fragment = {
      .lanes = mask, .pc = pc, .wait = Fragment::Wait::kBarrier, .barrier = static_cast<int>(id)};
  bool complete = true;
  for (size_t i = 0; i < warp.cta->warps.size() && complete; ++i) {
    complete = (warp.cta->warps[i].alive & ~here.arrived[i]) == 0;
  }
  if (complete) let_go(warp, id), ++warp.cta->events;
  while (fragment.wait == Fragment::Wait::kBarrier) warp.suspend(State::kWaiting);
  if (warp.records) give_records(warp, warp.room);
  return 0;
}

int32_t take_turn(WarpContext* c, uint32_t pc) {
  RunningWarp& warp = running(c);
  const auto executed = static_cast<uint64_t>(kTurnInstructions - c->fuel);
  warp.executed += executed;
  *warp.instructions += executed;
  c->fuel = kTurnInstructions;
  if (!std::exchange(warp.polled, false)) c->acted = 1;
  take_records(warp);
  const Limits& limits = warp.engine->limits();
  if (*warp.instructions > limits.warp_instructions) {
    const Context context = context_at(warp, pc, c->mask, c->mask);
    context.fault(step_at(warp, pc), __builtin_ctz(c->mask),
                  fmt::format("stopped after {} warp instructions", limits.warp_instructions),
                  "step-limit", "this may be an infinite loop; otherwise raise --limit",
                  Fallback::kMoreSteps);
    return 1;
  }
  if (limits.is_late()) {
    const Context context = context_at(warp, pc, c->mask, c->mask);
    context.fault(step_at(warp, pc), __builtin_ctz(c->mask), "kernel timed out (compiled)",
                  kTimeLimit, kTimeLimitHint, Fallback::kMoreTime);
    return 1;
  }
  warp.suspend(State::kReady);
  give_records(warp, warp.room);
  return 0;
}

// The other warps come as far as this one: exec/decode/slice/turns.h.
int32_t give_way(WarpContext* c) {
  RunningWarp& warp = running(c);
  take_records(warp);
  warp.state = State::kReady;
  pass_on(warp);
  if (warp.records) give_records(warp, warp.room);
  return 0;
}

int32_t pause(WarpContext* c) {
  RunningWarp& warp = running(c);
  take_records(warp);
  warp.suspend(State::kSpinning);
  give_records(warp, warp.room);
  return 0;
}

// What a load that is polled with has read: addresses and values in the context.
void see(WarpContext* c, uint32_t pc, uint32_t lanes) {
  RunningWarp& warp = running(c);
  warp.polled = true;
  if (std::exchange(c->acted, 0) != 0) warp.vigil.start();
  const uint32_t elements = step_at(warp, pc).spelling().vector;
  uint64_t hash = uint64_t{pc} << 32 | lanes;
  const auto mix = [&](uint64_t word) {
    hash = (hash ^ word) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  };
  for_each_lane(lanes, [&](int lane) {
    mix(static_cast<uint64_t>(c->address[lane]));
    for (uint32_t i = 0; i < elements; ++i) mix(c->data[i][lane]);
  });
  if (lanes != 0) warp.vigil.see(pc, lanes, hash);
}

int32_t reserve(WarpContext* c, uint32_t slots) {
  RunningWarp& warp = running(c);
  take_records(warp);
  while (warp.buffer().held().size() >= warp.budget) warp.suspend(State::kFull);
  give_records(warp, std::max(slots, warp.room));
  return 0;
}

void end_lanes(WarpContext* c, uint32_t lanes) {
  RunningWarp& warp = running(c);
  warp.warp->alive &= ~lanes;
  warp.order.end(lanes);
  if (warp.joins) reference::release_cluster(*warp.engine, *warp.cta);
  if (warp.rendezvous != nullptr) return;  // this warp is at no barrier, so none waits for lanes
  take_records(warp);
  reference::release_barriers(*warp.engine, *warp.cta);
}

const Pattern* find_pattern(void* table, const int64_t* offsets, uint32_t mask, uint32_t size) {
  return static_cast<PatternTable*>(table)->find(offsets, mask, size >> 8, size & 0xff);
}

}  // namespace

void give_up_lanes(RunningWarp& warp) {
  const Fragment& fragment = warp.warp->fragments[0];
  const Context context{*warp.engine, *warp.cta, *warp.warp, 0, 0, fragment.lanes};
  give_up(context, step_at(warp, fragment.pc));
}

void show_barrier(RunningWarp& warp) {
  if (warp.turn == nullptr || warp.state != State::kWaiting) return;
  warp.warp->fragments[0] = {.lanes = warp.warp->alive,
                             .pc = warp.barrier_pc,
                             .wait = Fragment::Wait::kBarrier,
                             .barrier = static_cast<int>(warp.barrier)};
  warp.cta->barriers[warp.barrier].arrived[warp.warp->index] = warp.warp->alive;
}

void run_warp(void* argument) {
  RunningWarp& warp = *static_cast<RunningWarp*>(argument);
  warp.kernel(&warp.context);
  *warp.instructions += static_cast<uint64_t>(kTurnInstructions - warp.context.fuel);
  take_records(warp);
  warp.warp->alive = 0;
  warp.warp->fragments.clear();
  ++warp.cta->events;
  if (!warp.engine->fault(*warp.cta)) {
    if (!warp.records) warp.buffer().clear();
    warp.buffer().push(trace::mark(trace::Mark::kWarpEnd));
    if (warp.rendezvous != nullptr) {
      warp.rendezvous->end_warp();
    } else {
      reference::release_barriers(*warp.engine, *warp.cta);
    }
    if (warp.joins) reference::release_cluster(*warp.engine, *warp.cta);
    reference::release_warpgroup(*warp.cta, *warp.warp);
  }
  warp.state = State::kEnded;
  warp.fiber.finish();
}

std::span<const RuntimeFunction> runtime_functions() {
  static const RuntimeFunction kFunctions[] = {
      {"wl_jit_interpret", reinterpret_cast<void*>(&interpret)},
      {"wl_jit_watch_registers", reinterpret_cast<void*>(&watch_registers)},
      {"wl_jit_miss_lanes", reinterpret_cast<void*>(&miss_lanes)},
      {"wl_jit_product", reinterpret_cast<void*>(&product)},
      {"wl_jit_move_matrix", reinterpret_cast<void*>(&move_matrices)},
      {"wl_jit_move_rows", reinterpret_cast<void*>(&move_known_rows)},
      {"wl_jit_copy", reinterpret_cast<void*>(&copy)},
      {"wl_jit_transfer", reinterpret_cast<void*>(&transfer)},
      {"wl_jit_update", reinterpret_cast<void*>(&update)},
      {"wl_jit_note_write", reinterpret_cast<void*>(&note_writes)},
      {"wl_jit_queue_copy", reinterpret_cast<void*>(&queue_copy)},
      {"wl_jit_commit_copies", reinterpret_cast<void*>(&commit_copies)},
      {"wl_jit_wait_copies", reinterpret_cast<void*>(&wait_copies)},
      {"wl_jit_barrier", reinterpret_cast<void*>(&barrier)},
      {"wl_jit_turn", reinterpret_cast<void*>(&take_turn)},
      {"wl_jit_pause", reinterpret_cast<void*>(&pause)},
      {"wl_jit_give_way", reinterpret_cast<void*>(&give_way)},
      {"wl_jit_see", reinterpret_cast<void*>(&see)},
      {"wl_jit_reserve", reinterpret_cast<void*>(&reserve)},
      {"wl_jit_end_lanes", reinterpret_cast<void*>(&end_lanes)},
      {"wl_jit_access", reinterpret_cast<void*>(&access)},
      {"wl_jit_open", reinterpret_cast<void*>(&open_convergence)},
      {"wl_jit_leave", reinterpret_cast<void*>(&leave_convergence)},
      {"wl_jit_name", reinterpret_cast<void*>(&name_lanes)},
      {"wl_jit_place", reinterpret_cast<void*>(&place_lanes)},
      {"wl_jit_next", reinterpret_cast<void*>(&next_lanes)},
      {"wl_jit_converge", reinterpret_cast<void*>(&converge)},
      {"wl_jit_find_pattern", reinterpret_cast<void*>(&find_pattern)},
  };
  return kFunctions;
}

}  // namespace warpledger::exec::jit
