// mbarrier objects: 64 opaque bits in shared memory, as far as sm_80 has them.
//
// Our bits: phase 63, initialised 62, expected arrivals 39..20, pending arrivals 19..0. The state
// that arrive returns is the object before the arrival. Transaction counts belong to sm_90.
#include <cstring>

#include "warpledger/exec/reference/async.h"
#include "warpledger/exec/reference/engine.h"
#include "warpledger/exec/reference/groups.h"

namespace warpledger::exec::reference {
namespace {

using ptx::Modifier;
using ptx::Op;
using ptx::Space;

constexpr uint64_t kCountMask = 0xfffff;

struct Object {
  bool phase = false;
  bool initialised = false;
  uint32_t expected = 0, pending = 0;
};

uint64_t pack(const Object& object) {
  return uint64_t{object.phase} << 63 | uint64_t{object.initialised} << 62 |
         (uint64_t{object.expected} & kCountMask) << 20 | (object.pending & kCountMask);
}
Object unpack(uint64_t bits) {
  return {.phase = (bits >> 63) != 0,
          .initialised = ((bits >> 62) & 1) != 0,
          .expected = static_cast<uint32_t>(bits >> 20 & kCountMask),
          .pending = static_cast<uint32_t>(bits & kCountMask)};
}

std::byte* object_bytes(const Context& context, const Value& address, const Step& step, int lane) {
  const Space named = step.spelling().space();
  const SpaceAddress at =
      context.address(address, named == Space::kGeneric ? Space::kGeneric : Space::kShared, lane);
  if (at.space != Space::kShared && at.space != Space::kSharedCluster) {
    context.fault(step, lane, "an mbarrier lies in shared memory", "bad-mbarrier");
    return nullptr;
  }
  return context.bytes(at, 8, lane, Access::kAtomic);
}

/// Calls f(object) on the object that `address` names and writes it back; false after a fault.
template <class F>
bool with_object(const Context& context, const Value& address, const Step& step, int lane, F f) {
  std::byte* bytes = context.failed() ? nullptr : object_bytes(context, address, step, lane);
  if (bytes == nullptr) return false;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes, sizeof bits);
  Object object = unpack(bits);
  if (step.spelling().op() != Op::kMbarrierInit && !object.initialised) {
    context.fault(step, lane, "the mbarrier was never initialised, or was invalidated",
                  "bad-mbarrier");
    return false;
  }
  f(object);
  bits = pack(object);
  std::memcpy(bytes, &bits, sizeof bits);
  return true;
}

void arrive_at(const Context& context, const Step& step, int lane, Object& object, uint32_t count) {
  if (count > object.pending) {
    return context.fault(step, lane, "more arrivals at an mbarrier than it expects",
                         "bad-mbarrier");
  }
  object.pending -= count;
  if (object.pending != 0) return;
  object.pending = object.expected;
  object.phase = !object.phase;
}

Outcome run_init(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    const auto count = static_cast<uint32_t>(context.read(step.operands[1], lane));
    with_object(context, step.operands[0], step, lane, [&](Object& object) {
      object = {.initialised = true, .expected = count, .pending = count};
    });
  });
  return Outcome::kNext;
}

Outcome run_inval(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    with_object(context, step.operands[0], step, lane, [](Object& object) { object = {}; });
  });
  return Outcome::kNext;
}

Outcome run_arrive(Context& context, const Step& step) {
  const bool drops = step.spelling().op() == Op::kMbarrierArriveDrop;
  for_each_lane(context.lanes, [&](int lane) {
    const uint32_t count =
        step.operands.size() > 2 ? static_cast<uint32_t>(context.read(step.operands[2], lane)) : 1;
    uint64_t state = 0;
    with_object(context, step.operands[1], step, lane, [&](Object& object) {
      state = pack(object);
      if (drops) object.expected -= std::min(count, object.expected);
      arrive_at(context, step, lane, object, count);
    });
    context.write(step.operands[0], lane, state);
  });
  return Outcome::kNext;
}

// test_wait: has the phase of the state (or the parity) ended? try_wait may also wait: it does not.
Outcome run_test_wait(Context& context, const Step& step) {
  const bool parity = step.variant->has(Modifier::kParity);
  for_each_lane(context.lanes, [&](int lane) {
    const uint64_t asked = context.read(step.operands[2], lane);
    const bool phase = parity ? (asked & 1) != 0 : (asked >> 63) != 0;
    with_object(context, step.operands[1], step, lane, [&](Object& object) {
      context.write(step.operands[0], lane, object.phase != phase ? 1 : 0);
    });
  });
  return Outcome::kNext;
}

Outcome run_pending_count(Context& context, const Step& step) {
  for_each_lane(context.lanes, [&](int lane) {
    context.write(step.operands[0], lane, unpack(context.read(step.operands[1], lane)).pending);
  });
  return Outcome::kNext;
}

// The arrival happens when the thread's copies are done: they are finished here. Without .noinc the
// pending count was raised for it, so that nothing changes in the end.
Outcome run_copy_arrive(Context& context, const Step& step) {
  const bool counted = step.variant->has(Modifier::kNoinc);
  for_each_lane(context.lanes, [&](int lane) {
    finish_copies(context, lane);
    with_object(context, step.operands[0], step, lane, [&](Object& object) {
      if (counted) arrive_at(context, step, lane, object, 1);
    });
  });
  return Outcome::kNext;
}

}  // namespace

Execute find_mbarrier(const ptx::Spelling& spelling) {
  static constexpr ExecuteRow kRows[] = {
      {Op::kMbarrierInit, run_init},
      {Op::kMbarrierInval, run_inval},
      {Op::kMbarrierArrive, run_arrive},
      {Op::kMbarrierArriveDrop, run_arrive},
      {Op::kMbarrierTestWait, run_test_wait},
      {Op::kMbarrierTryWait, run_test_wait},
      {Op::kMbarrierPendingCount, run_pending_count},
      {Op::kCpAsyncMbarrierArrive, run_copy_arrive},
  };
  return spelling.has(Modifier::kExpectTx) ? nullptr : find_in(kRows, spelling.op());
}

}  // namespace warpledger::exec::reference
