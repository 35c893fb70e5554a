// Which lanes of a warp run next.
//
// Lanes at the same address run together. Of several addresses the lowest comes first, so that the
// lanes behind catch up before a loop goes round again; a lane at a BSYNC waits for the lanes of
// its convergence barrier that have not left. After 64 YIELDs the lanes that ran longest ago have
// their turn, those at a BSYNC among them: a lane that polls for another of its warp must not keep
// it from running. So they have now and then without any YIELD: soon where the code has what locks
// are made of, else when lanes have been left behind for long. NVIDIA does
// not publish its policy: values do not depend on it in programs without races, counts of diverged
// warps do.
#pragma once

#include "warpledger/exec/machine/state.h"

namespace warpledger::exec::machine {

/// How often each instruction of the program was executed.
struct Counts {
  std::vector<uint64_t> executions;  // by warps, also with the guard false in every lane
  std::vector<uint64_t> lanes;
};

/// One instruction of one set of lanes. False when no lane can run. What goes wrong is
/// `context.fault`.
[[nodiscard]] bool step(Context& context, Counts& counts);

/// Opens the barriers of the block that all threads have reached or left.
void open_barriers(Block& block);

}  // namespace warpledger::exec::machine
