// The instructions of mbarriers (phase.h): SYNCS, and ARRIVES, which arrives when copies are done.
//
// A wait does not poll: lanes whose phase has not ended wait until it has (waiting.h). An arrival's
// last modifier says what it does: A0, A1, AR arrives not at all, once, as often as the register
// says; T0, T1, TR, TX announces no bytes, one, the register's, or takes the register's off.
// Without it, once and the register's bytes.
#include <algorithm>
#include <cstring>

#include "warpledger/exec/machine/memory.h"
#include "warpledger/exec/machine/phase.h"
#include "warpledger/exec/machine/tensor_work.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

/// What ends at an mbarrier: products before their commit, and copies.
void finish_arrivals(const PhasePlace& place) {
  finish_tensor_work(place);
  finish_copies(place);
}

/// The mbarrier that an instruction names; no owner after a fault.
PhasePlace named_phase(Lane& lane, const Instruction& instruction) {
  const auto address = static_cast<uint32_t>(lane.address(address_operand(instruction)));
  return find_phase(lane.context(), instruction, address);
}

/// The same, which has been begun. A phase that lacks nothing but bytes takes those that are there:
/// hardware would not have waited for them.
PhasePlace begun_phase(Lane& lane, const Instruction& instruction) {
  const PhasePlace place = named_phase(lane, instruction);
  if (place.owner == nullptr) return place;
  const Phase phase = load_phase(place);
  if (phase.expected == 0) {
    lane.context().stop(
        "the mbarrier of " + instruction.text + " was never initialized, or was invalidated",
        "bad-mbarrier");
    return {};
  }
  if (phase.pending == 0) finish_arrivals(place);
  return place;
}

void arrive(Lane& lane, const Instruction& instruction, const PhasePlace& place, Phase phase,
            uint32_t count) {
  if (count > phase.pending)
    return lane.context().stop(
        instruction.text + ": an mbarrier received more arrivals than it expects", "bad-mbarrier");
  phase.pending -= count;
  store_phase(place, phase);
}

struct Arrival {
  uint32_t count = 0;
  int32_t transactions = 0;
};
Arrival arrival_of(const Instruction& instruction, uint32_t value) {
  const auto bytes = static_cast<int32_t>(value);
  if (instruction.has(M::kA1T0)) return {1, 0};
  if (instruction.has(M::kART0)) return {value, 0};
  if (instruction.has(M::kA0TR)) return {0, bytes};
  if (instruction.has(M::kA0TX)) return {0, -bytes};
  if (instruction.has(M::kA0T1)) return {0, 1};
  return {1, bytes};
}

void arrive(Lane& lane, const Instruction& instruction) {
  const PhasePlace place = begun_phase(lane, instruction);
  if (place.owner == nullptr) return;
  Phase phase = load_phase(place);
  const uint64_t before = pack(phase);
  const Arrival arrival = arrival_of(instruction, lane.word(instruction.operands.back()));
  phase.transactions += arrival.transactions;
  if (instruction.has(M::kOPTOUT)) phase.expected -= std::min(arrival.count, phase.expected);
  arrive(lane, instruction, place, phase, arrival.count);
  if (!instruction.has(M::kRED)) lane.set_pair(instruction.operands[0], before);
}

void begin_or_end(Lane& lane, const Instruction& instruction) {
  const PhasePlace place = named_phase(lane, instruction);
  if (place.owner == nullptr) return;
  if (instruction.has(M::kIV)) finish_arrivals(place);
  const uint64_t word = instruction.has(M::kEXCH) ? lane.pair(instruction.operands.back()) : 0;
  std::memcpy(place.owner->shared.data() + place.offset, &word, sizeof word);
  ++place.owner->cluster->events;
}

/// Whether the phase of such a word's upper half (bit 31) is over.
void check_phase(Context& context, const Instruction& instruction, Lanes lanes) {
  Lanes ended = 0;
  Warp& warp = *context.warp;
  for_each_lane(lanes, [&](int number) {
    if (context.fault) return;
    Lane lane(context, number);
    const PhasePlace place = begun_phase(lane, instruction);
    if (place.owner == nullptr) return;
    if (place.owner != context.block)
      return context.stop(instruction.text + " waits at an mbarrier of another block",
                          "bad-mbarrier");
    const bool asked = lane.word(instruction.operands.back()) >> 31 != 0;
    if (load_phase(place).phase == asked) finish_arrivals(place);
    if (load_phase(place).phase != asked) ended |= 1U << number;
    warp.phase[static_cast<size_t>(number)] = {place.offset, asked};
  });
  if (context.fault) return;
  context.repeats = ended == 0 && (warp.timed_out & lanes) == 0;
  if (!context.repeats) warp.timed_out &= ~lanes;
  for_each_lane(lanes, [&](int number) {
    if (context.repeats)
      warp.state[static_cast<size_t>(number)] = LaneState::kAtPhase;
    else
      Lane(context, number).set_predicate(instruction.operands[0], (ended >> number & 1) != 0);
  });
}

}  // namespace

/// .EXCH begins an mbarrier; .CCTL.IV ends it; .ARRIVE answers the word before it; .PHASECHK asks
/// and, as .TRYWAIT may on hardware, waits.
void synchronize(Context& context, const Instruction& instruction, Lanes lanes) {
  if (instruction.has(M::kPHASECHK)) return check_phase(context, instruction, lanes);
  for_each_lane(lanes, [&](int number) {
    if (context.fault) return;
    Lane lane(context, number);
    if (instruction.has(M::kARRIVE))
      arrive(lane, instruction);
    else
      begin_or_end(lane, instruction);
  });
}

/// ARRIVES.LDGSTSBAR: when the thread's copies are done, which they are here, it arrives (.ARVCNT)
/// or takes off the byte that was announced for it (.TRANSCNT).
void arrive_after_copies(Lane& lane, const Instruction& instruction) {
  finish_late_writes(lane, ~0U);
  const PhasePlace place = begun_phase(lane, instruction);
  if (place.owner == nullptr) return;
  Phase phase = load_phase(place);
  if (instruction.has(M::kTRANSCNT)) --phase.transactions;
  arrive(lane, instruction, place, phase, instruction.has(M::kARVCNT) ? 1 : 0);
}

}  // namespace warpledger::exec::machine
