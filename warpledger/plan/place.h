// Finds the offsets of a plan's buffers in both memories.
#pragma once

#include "warpledger/base/result.h"
#include "warpledger/plan/pack.h"
#include "warpledger/plan/plan.h"

namespace warpledger::plan {

/// One slot of one buffer; the items of a memory's packing problem, in the order of declaration.
struct SlotName {
  int buffer = 0;
  int slot = 0;
};

/// `offsets[i]` belongs to `slots[i]`; bytes in shared memory, columns in TMEM.
struct Region {
  std::vector<SlotName> slots = {};
  Packing packing = {};
  std::vector<int> halves = {};  // TMEM: 0 or 1 for a tensor in half of the lanes
  int64_t without_overlays = 0;  // the total if everything lived all the time
  int64_t first_fit = 0;         // the total of first fit in the order of declaration
};

struct Placement {
  Region shared;
  Region tensor;
};

/// A struct's size is rounded up to this: nothing in a plan needs more than 16 bytes of its base
/// beyond what the swizzles ask.
inline constexpr int64_t kStructAlignment = 16;

[[nodiscard]] Placement place(const Plan& plan);

/// Can the two slots be needed at the same moment? (In TMEM also when their lanes differ.)
[[nodiscard]] bool may_overlap(const Plan& plan, SlotName a, SlotName b);

[[nodiscard]] const Slot& slot_of(const Plan& plan, SlotName name);

/// "k_nope[2]" for a slot of a ring placed apart, else the buffer's name.
[[nodiscard]] std::string name_of(const Plan& plan, SlotName name);

/// "main", "prologue..main", "loaded..released"; "all" when it never ends.
[[nodiscard]] std::string to_text(const Plan& plan, const Slot& slot);

}  // namespace warpledger::plan
