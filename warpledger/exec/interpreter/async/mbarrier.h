// mbarrier objects: 64 opaque bits in shared memory. Ours, from the top:
//   63 phase   62 initialized   60..40 transactions still to come, two's complement
//   39..20 expected arrivals   19..0 arrivals still to come
// The phase ends when no arrival and no transaction is left to come.
#pragma once

#include "warpledger/exec/interpreter/context.h"

namespace warpledger::exec::reference {

struct PhaseObject {
  bool phase = false;
  bool initialized = false;
  int32_t transactions = 0;
  uint32_t expected = 0, pending = 0;
};
[[nodiscard]] uint64_t pack(const PhaseObject& object);
[[nodiscard]] PhaseObject unpack_phase(uint64_t bits);

/// Writes the object back, ended when it is complete.
void change_phase(Cta& owner, uint64_t offset, PhaseObject& object);

/// The object at an offset of a CTA's shared memory. Pre: it lies inside.
[[nodiscard]] PhaseObject load_phase(const Cta& cta, uint64_t offset);

/// Changes of an object from outside its instructions: a copy has brought `bytes`, a tcgen05.commit
/// arrives. Who waits for the phase is woken when it ends.
void complete_transactions(Cta& owner, uint64_t offset, uint32_t bytes);
void arrive_from_outside(Cta& owner, uint64_t offset);

/// An mbarrier that an instruction names: whose it is, and where. Null owner after a fault.
struct PhasePlace {
  Cta* owner = nullptr;
  uint64_t offset = 0;
};
[[nodiscard]] PhasePlace find_phase(const Context& context, const Step& step,
                                    const SpaceAddress& at, int lane);

/// Whoever waits for that mbarrier looks again.
void wake_phase(Cta& owner, uint64_t offset);

/// Does what arrives at the mbarrier and has not been done: copies, tensor-core work.
void finish_arrivals(const Context& context, Cta& owner, uint64_t offset);

/// What is left of an mbarrier at its end, or its CTA's: bytes that copies brought and no expect_tx
/// announced. A wait may then have ended before its copies. Empty: nothing.
[[nodiscard]] std::string unannounced_text(const Cta& cta, uint64_t offset);

/// "waits for the phase of parity 1 of the mbarrier at 0x40: ..." for a deadlock's diagnosis.
[[nodiscard]] std::string phase_text(const Context& context, const Step& step,
                                     const Fragment& fragment);

}  // namespace warpledger::exec::reference
