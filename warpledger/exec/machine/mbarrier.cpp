// The mbarriers of sm_90 and its successors, which SYNCS keeps in shared memory.
//
// What ptxas makes of mbarrier.init shows the word: of n arrivals, bits 1 to 20 and bits 43 to 62
// hold 2^20 - n, bit 63 is the phase. An arrival adds to the upper count; where it comes to 2^20,
// bit 63 has changed and the count begins again with the lower one. Bytes that a phase waits for
// (bits 21 to 42, TMA's) are not on the list.
#include <cstring>

#include "warpledger/exec/machine/memory.h"

namespace warpledger::exec::machine {
namespace {

using M = Modifier;

constexpr size_t kBytes = 8;
constexpr uint64_t kCountAt = 43, kExpectedAt = 1, kCount = (uint64_t{1} << 20) - 1;
constexpr uint64_t kPhase = uint64_t{1} << 63;

uint64_t after_arrival(uint64_t old) {
  uint64_t now = old + (uint64_t{1} << kCountAt);
  if ((now >> kCountAt & kCount) == 0) now |= (old >> kExpectedAt & kCount) << kCountAt;
  return now;
}

}  // namespace

/// .EXCH begins a barrier; .ARRIVE arrives once and answers the word before it; .PHASECHK asks
/// whether the phase of such a word's upper half is over; .TRYWAIT
/// may wait for it on hardware, and asks at once here.
void synchronize(Lane& lane, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  std::byte* at = find_bytes(lane, instruction, MemoryClass::kShared,
                             lane.address(address_operand(instruction)), kBytes);
  if (at == nullptr) return;
  uint64_t old = 0, now = 0;
  std::memcpy(&old, at, kBytes);
  if (instruction.has(M::kPHASECHK)) {
    const uint64_t token = uint64_t{lane.word(operands.back())} << 32;
    return lane.set_predicate(operands[0], ((old ^ token) & kPhase) != 0);
  }
  if (instruction.has(M::kEXCH))
    now = lane.pair(operands.back());
  else if (instruction.has(M::kA1T0))
    now = after_arrival(old);
  else
    return lane.context().stop(instruction.text + " is not supported", "unsupported-opcode");
  lane.set_pair(operands[0], old);
  std::memcpy(at, &now, kBytes);
}

}  // namespace warpledger::exec::machine
