// mbarriers as sm_90 and its successors keep them in shared memory, and the copies that end there.
//
// What ptxas makes of mbarrier.init shows the word: of n arrivals, bits 1 to 20 and bits 43 to 62
// hold 2^20 - n, bit 63 is the phase; mbarrier.pending_count reads bits 43 to 62. The bytes that a
// phase waits for are put into bits 21 to 42 (assumed: no program sees them).
#pragma once

#include <string>

#include "warpledger/exec/machine/lane.h"

namespace warpledger::exec::machine {

struct Phase {
  bool phase = false;
  uint32_t expected = 0, pending = 0;  // arrivals of each phase, and those this one lacks
  int32_t transactions = 0;            // bytes announced and not yet copied
};
[[nodiscard]] Phase unpack_phase(uint64_t word);
[[nodiscard]] uint64_t pack(const Phase& phase);

/// An mbarrier: whose shared memory, and where in it.
struct PhasePlace {
  Block* owner = nullptr;
  uint32_t offset = 0;
};
/// The mbarrier at an address of shared memory, a peer's perhaps; no owner, and the launch is
/// stopped, where there is none.
[[nodiscard]] PhasePlace find_phase(Context& context, const Instruction& instruction,
                                    uint32_t address);

[[nodiscard]] Phase load_phase(const PhasePlace& place);
/// Writes it back: a phase that nothing is missing from has ended, and the next one begins.
void store_phase(const PhasePlace& place, Phase phase);

/// One arrival, of tensor cores. More than the phase expects are lost.
void arrive_from_outside(const PhasePlace& place);

/// Writes what copies to that mbarrier have read, and takes their bytes off its phase.
void finish_copies(const PhasePlace& place);

/// What a lane waits for that waits for that phase to end.
[[nodiscard]] std::string describe_wait(Block& block, const PhaseWait& wait);

}  // namespace warpledger::exec::machine
