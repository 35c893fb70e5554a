// The instructions of mbarrier objects (mbarrier.h).
//
// A wait does not poll: whose phase has not ended waits until it has. When nobody of the cluster
// can go on, waits answer false, as hardware's time limit makes them; when that changes nothing
// either, it is a deadlock (deadlock.h).
#include <fmt/core.h>

#include "warpledger/exec/interpreter/async.h"
#include "warpledger/exec/interpreter/async/mbarrier.h"
#include "warpledger/exec/interpreter/async/sync_note.h"
#include "warpledger/exec/interpreter/engine.h"
#include "warpledger/exec/interpreter/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using trace::SyncEvent;

/// Calls f(place, object) on the object that `address` names and writes it back; false after a
/// fault.
template <class F>
bool with_object(const Context& context, const Value& address, const Step& step, int lane, F f) {
  if (context.failed()) return false;
  const SpaceAddress at = context.address(address, step.spelling().space(), lane);
  const PhasePlace place = find_phase(context, step, at, lane);
  if (place.owner == nullptr) return false;
  PhaseObject object = load_phase(*place.owner, place.offset);
  if (step.spelling().op() != Op::kMbarrierInit && !object.initialized) {
    context.fault(step, lane, "the mbarrier was never initialized, or was invalidated",
                  "bad-mbarrier");
    return false;
  }
  if (object.pending == 0 && object.initialized && step.spelling().op() != Op::kMbarrierInit) {
    finish_arrivals(context, *place.owner, place.offset);  // hardware would not have waited
    object = load_phase(*place.owner, place.offset);
  }
  f(place, object);
  return !context.failed();
}

void arrive_at(const Context& context, const Step& step, int lane, const PhasePlace& place,
               PhaseObject& object, uint32_t count) {
  if (count > object.pending) {
    return context.fault(step, lane, "an mbarrier received more arrivals than it expects",
                         "bad-mbarrier");
  }
  object.pending -= count;
  std::vector<uint32_t>& warps = place.owner->phases[place.offset].warps;
  const bool known = !warps.empty() && warps.back() == context.warp.index;
  if (!known && place.owner == &context.cta) warps.push_back(context.warp.index);
  change_phase(*place.owner, place.offset, object);
}

SyncEvent event_at(const PhasePlace& at, SyncEvent::Kind kind, uint32_t count, int64_t bytes = 0) {
  return {
      .kind = kind, .barrier = static_cast<uint32_t>(at.offset), .count = count, .bytes = bytes};
}

Outcome run_init(Context& context, const Step& step) {
  SyncNote note(context, step);
  for_each_lane(context.lanes, [&](int lane) {
    const auto count = static_cast<uint32_t>(context.read(step.operands[1], lane));
    if (count == 0 || count > 0xfffff) {
      return context.fault(step, lane, fmt::format("an mbarrier of {} arrivals", count),
                           "bad-mbarrier", "counts are 1 to 2^20 - 1");
    }
    with_object(context, step.operands[0], step, lane,
                [&](const PhasePlace& at, PhaseObject& object) {
                  object = {.initialized = true, .expected = count, .pending = count};
                  at.owner->phases[at.offset] = {.expected = count};
                  change_phase(*at.owner, at.offset, object);
                  note.add(event_at(at, SyncEvent::Kind::kInit, count));
                });
  });
  return Outcome::kNext;
}

Outcome run_inval(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    with_object(context, step.operands[0], step, lane,
                [&](const PhasePlace& at, PhaseObject& object) {
                  finish_arrivals(context, *at.owner, at.offset);
                  const std::string left = unannounced_text(*at.owner, at.offset);
                  if (!left.empty()) return context.fault(step, lane, left, "unannounced-bytes");
                  object = {.pending = 1};
                  change_phase(*at.owner, at.offset, object);
                });
  });
  return Outcome::kNext;
}

// arrive{.expect_tx} d, [a]{, count or bytes}: d may be absent for a peer's, or a sink.
Outcome run_arrive(Context& context, const Step& step) {
  const bool drops = step.spelling().op() == Op::kMbarrierArriveDrop;
  const bool expects = step.variant->has(Modifier::kExpectTx);
  if (drops) note_unknown(context);
  SyncNote note(context, step);
  for_each_lane(context.lanes, [&](int lane) {
    const auto given =
        step.operands.size() > 2 ? static_cast<uint32_t>(context.read(step.operands[2], lane)) : 1;
    uint64_t state = 0;
    with_object(context, step.operands[1], step, lane,
                [&](const PhasePlace& at, PhaseObject& object) {
                  state = pack(object);
                  const uint32_t count = expects ? 1 : given;
                  if (expects) object.transactions += static_cast<int32_t>(given);
                  if (drops) object.expected -= std::min(count, object.expected);
                  arrive_at(context, step, lane, at, object, count);
                  note.add(event_at(at, SyncEvent::Kind::kArrive, count, expects ? given : 0));
                });
    context.write(step.operands[0], lane, state);
  });
  return Outcome::kNext;
}

Outcome run_transactions(Context& context, const Step& step) {
  const bool expects = step.spelling().op() == Op::kMbarrierExpectTx;
  SyncNote note(context, step);
  for_each_lane(context.lanes, [&](int lane) {
    const auto bytes = static_cast<int32_t>(context.read(step.operands[1], lane));
    with_object(context, step.operands[0], step, lane,
                [&](const PhasePlace& at, PhaseObject& object) {
                  object.transactions += expects ? bytes : -bytes;
                  change_phase(*at.owner, at.offset, object);
                  note.add(event_at(at, SyncEvent::Kind::kArrive, 0, expects ? bytes : -bytes));
                });
  });
  return Outcome::kNext;
}

// Has the phase of the state (or the parity) ended? Lanes none of whose has wait.
Outcome run_wait(Context& context, const Step& step) {
  const bool parity = step.variant->has(Modifier::kParity);
  Lanes ended = 0;
  uint64_t object_at = 0;
  SyncEvent noted{.kind = SyncEvent::Kind::kWait};  // of the last lane: others name the same object
  for_each_lane(context.lanes, [&](int lane) {
    const uint64_t asked = context.read(step.operands[2], lane);
    const bool phase = parity ? (asked & 1) != 0 : (asked >> 63) != 0;
    with_object(context, step.operands[1], step, lane,
                [&](const PhasePlace& at, PhaseObject& object) {
                  if (object.phase == phase) {
                    finish_arrivals(context, *at.owner, at.offset);
                    object = load_phase(*at.owner, at.offset);
                  }
                  object_at = at.offset;
                  if (object.phase == phase) return;
                  ended |= 1u << lane;
                  noted.barrier = static_cast<uint32_t>(at.offset);
                  noted.parity = phase;
                });
  });
  if (context.failed()) return Outcome::kStay;
  Fragment& fragment = context.here();
  if (context.lanes != 0 && ended == 0 && !fragment.timed_out) {
    fragment.wait = Fragment::Wait::kPhase;
    fragment.object = object_at;
    return Outcome::kStay;
  }
  fragment.timed_out = false;
  if (ended != 0) SyncNote(context, step).add(noted);
  for_each_lane(context.lanes,
                [&](int lane) { context.write(step.operands[0], lane, ended >> lane & 1); });
  return Outcome::kNext;
}

Outcome run_pending_count(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    context.write(step.operands[0], lane,
                  unpack_phase(context.read(step.operands[1], lane)).pending);
  });
  return Outcome::kNext;
}

// The arrival happens when the thread's copies are done: they are finished here. Without .noinc the
// pending count was raised for it, so that nothing changes in the end.
Outcome run_copy_arrive(Context& context, const Step& step) {
  const bool counted = step.variant->has(Modifier::kNoinc);
  note_unknown(context);
  for_each_lane(context.lanes, [&](int lane) {
    finish_copies(context, lane);
    with_object(context, step.operands[0], step, lane,
                [&](const PhasePlace& at, PhaseObject& object) {
                  if (counted) arrive_at(context, step, lane, at, object, 1);
                });
  });
  return Outcome::kNext;
}

}  // namespace

Execute find_mbarrier(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kMbarrierInit, run_init},
      {Op::kMbarrierInval, run_inval},
      {Op::kMbarrierExpectTx, run_transactions},
      {Op::kMbarrierCompleteTx, run_transactions},
      {Op::kMbarrierArrive, run_arrive},
      {Op::kMbarrierArriveDrop, run_arrive},
      {Op::kMbarrierTestWait, run_wait},
      {Op::kMbarrierTryWait, run_wait},
      {Op::kMbarrierPendingCount, run_pending_count},
      {Op::kCpAsyncMbarrierArrive, run_copy_arrive},
  };
  return find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
